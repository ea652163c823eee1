"""Random examples may take their time: a busy machine is no defect."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
