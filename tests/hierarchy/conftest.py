"""Random examples may take their time: a busy machine is no defect."""

from hypothesis import settings

settings.register_profile("patient", deadline=None, max_examples=3000)
settings.load_profile("patient")
