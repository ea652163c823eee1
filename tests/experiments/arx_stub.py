"""A library with the signatures of ARX that the driver calls, and nothing behind them.

Each search answers the same and appends what it was asked to the file in $ARX_STUB_LOG. $ARX_STUB makes
it "heuristic" (no proof), "none" (no solution), "slow" (no end) or "broken" (an exception).
"""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

PACKAGE = "org.deidentifier.arx"

SEARCH = """
public class ARXAnonymizer {
    public ARXResult anonymize(Data data, ARXConfiguration configuration) throws java.io.IOException {
        if (data.handle.locked) throw new IllegalStateException("release the handle first");
        data.handle.locked = true;
        String mood = System.getenv("ARX_STUB");
        if ("broken".equals(mood)) throw new IllegalArgumentException("no\\nluck");
        if ("slow".equals(mood)) while (true) Thread.onSpinWait();
        System.out.println("ARX says hello");
        String asked = configuration.asked + " " + data.definition.types.keySet() + "\\n";
        java.nio.file.Files.write(java.nio.file.Paths.get(System.getenv("ARX_STUB_LOG")),
            asked.getBytes("UTF-8"), java.nio.file.StandardOpenOption.APPEND);
        return new ARXResult(data, mood == null ? "" : mood);
    }
}"""

CONFIGURATION = """
public class ARXConfiguration {
    public enum AnonymizationAlgorithm {
        OPTIMAL, BEST_EFFORT_BOTTOM_UP, BEST_EFFORT_TOP_DOWN, BEST_EFFORT_GENETIC
    }
    String asked = "";
    public static ARXConfiguration create() { return new ARXConfiguration(); }
    public void setAlgorithm(AnonymizationAlgorithm algorithm) { asked += algorithm; }
    public void setHeuristicSearchStepLimit(int steps) { asked += " steps " + steps; }
    public void setHeuristicSearchTimeLimit(int milliseconds) { asked += " ms " + milliseconds; }
    public void setAttributeWeight(String attribute, Double weight) {
        asked += " " + attribute + "=" + weight;
    }
    public void setSuppressionLimit(double limit) { asked += " limit " + limit; }
    public void setQualityModel(org.deidentifier.arx.metric.Metric<?> model) { asked += " " + model; }
    public ARXConfiguration addPrivacyModel(org.deidentifier.arx.criteria.PrivacyCriterion criterion) {
        asked += " " + criterion;
        return this;
    }
}"""

RESULT = """
public class ARXResult {
    private final Data data;
    private final String mood;
    ARXResult(Data data, String mood) { this.data = data; this.mood = mood; }
    public ARXLattice.ARXNode getGlobalOptimum() {
        return mood.equals("none") ? null : new ARXLattice(data).new ARXNode();
    }
    public ARXProcessStatistics getProcessStatistics() {
        return new ARXProcessStatistics(!mood.equals("heuristic"));
    }
    public DataHandle getOutput(boolean fork) { return data.handle; }
    public long getTime() { return 1500; }
}"""

LATTICE = """
public class ARXLattice {
    private final Data data;
    ARXLattice(Data data) { this.data = data; }
    public class ARXNode {
        public String[] getQuasiIdentifyingAttributes() {
            return data.definition.types.keySet().toArray(new String[0]);
        }
        public int getGeneralization(String attribute) { return attribute.length(); }
        public org.deidentifier.arx.metric.InformationLoss<?> getHighestScore() {
            return new org.deidentifier.arx.metric.InformationLoss<Double>();
        }
    }
}"""

STATISTICS = """
public class ARXProcessStatistics {
    private final boolean optimal;
    ARXProcessStatistics(boolean optimal) { this.optimal = optimal; }
    public class Step { public boolean isOptimal() { return optimal; } }
    public Step getStep(int index) { return new Step(); }
    public long getTransformationsChecked() { return 7; }
}"""

POPULATION = """
public class ARXPopulationModel {
    private final long size;
    private ARXPopulationModel(long size) { this.size = size; }
    public static ARXPopulationModel create(int sample, double fraction) { return null; }
    public static ARXPopulationModel create(long size) { return new ARXPopulationModel(size); }
    @Override public String toString() { return "population " + size; }
}"""

SOLVER = """
public class ARXSolverConfiguration {
    private String asked = "";
    public static ARXSolverConfiguration create() { return new ARXSolverConfiguration(); }
    public ARXSolverConfiguration preparedStartValues(double[][] values) {
        asked += values.length + " starts to " + values[15][0] + "," + values[15][1];
        return this;
    }
    public ARXSolverConfiguration iterationsPerTry(int iterations) {
        asked += " of " + iterations;
        return this;
    }
    @Override public String toString() { return asked; }
}"""

TYPES = """
public class AttributeType {
    public static final AttributeType INSENSITIVE_ATTRIBUTE = new AttributeType();
    public static class Hierarchy extends AttributeType {
        public static Hierarchy create(String path, java.nio.charset.Charset charset, char separator)
            throws java.io.IOException {
            java.nio.file.Files.readAllLines(java.nio.file.Paths.get(path), charset);
            return new Hierarchy();
        }
    }
}"""

TABLE = """
public class Data {
    final DataHandle handle = new DataHandle();
    final DataDefinition definition = new DataDefinition();
    public static Data create(String path, java.nio.charset.Charset charset, char separator)
        throws java.io.IOException {
        Data data = new Data();
        java.util.List<String> lines =
            java.nio.file.Files.readAllLines(java.nio.file.Paths.get(path), charset);
        data.handle.header = lines.get(0).split(String.valueOf(separator));
        data.handle.rows = lines.size() - 1;
        return data;
    }
    public DataHandle getHandle() { return handle; }
    public DataDefinition getDefinition() { return definition; }
}"""

DEFINITION = """
public class DataDefinition {
    final java.util.Map<String, AttributeType> types = new java.util.LinkedHashMap<>();
    public void setAttributeType(String attribute, AttributeType type) {
        if (type != AttributeType.INSENSITIVE_ATTRIBUTE) types.put(attribute, type);
    }
}"""

HANDLE = """
public class DataHandle {
    String[] header;
    int rows;
    boolean locked;
    public int getNumColumns() { return header.length; }
    public int getNumRows() { return rows; }
    public String getAttributeName(int column) { return header[column]; }
    public void release() { locked = false; }
    public org.deidentifier.arx.aggregates.StatisticsBuilder getStatistics() {
        return new org.deidentifier.arx.aggregates.StatisticsBuilder();
    }
}"""

METRIC = """
public class Metric<T extends InformationLoss<?>> {
    public enum AggregateFunction { ARITHMETIC_MEAN, GEOMETRIC_MEAN }
    private String asked;
    public static Metric<InformationLoss<?>> createPrecomputedLossMetric(
        double threshold, double factor, AggregateFunction function) {
        Metric<InformationLoss<?>> metric = new Metric<>();
        metric.asked = "loss " + threshold + " " + factor + " " + function;
        return metric;
    }
    @Override public String toString() { return asked; }
}"""

CRITERION = """
public abstract class PrivacyCriterion {
    private final Object[] asked;
    PrivacyCriterion(Object... asked) { this.asked = asked; }
    @Override public String toString() {
        return getClass().getSimpleName() + java.util.Arrays.toString(asked);
    }
}"""

K_MAP = """
public class KMap extends PrivacyCriterion {
    public enum CellSizeEstimator { POISSON, ZERO_TRUNCATED_POISSON }
    public KMap(int k, double significance, org.deidentifier.arx.ARXPopulationModel population,
                CellSizeEstimator estimator) {
        super(k, significance, population, estimator);
    }
}"""

UNIQUENESS = """
public class PopulationUniqueness extends PrivacyCriterion {
    public PopulationUniqueness(double threshold,
        org.deidentifier.arx.risk.RiskModelPopulationUniqueness.PopulationUniquenessModel model,
        org.deidentifier.arx.ARXPopulationModel population,
        org.deidentifier.arx.ARXSolverConfiguration solver) {
        super(threshold, model, population, solver);
    }
}"""

ESTIMATORS = """
public class RiskModelPopulationUniqueness {
    public enum PopulationUniquenessModel { PITMAN, ZAYATZ, SNB, DANKAR }
}"""

CLASSES = """
public class StatisticsBuilder {
    public StatisticsEquivalenceClasses getEquivalenceClassStatistics() {
        return new StatisticsEquivalenceClasses();
    }
}"""


def criterion(name: str, parameter: str) -> str:
    """Write a criterion with one parameter."""
    return (
        f"public class {name} extends PrivacyCriterion {{ "
        f"public {name}({parameter} value) {{ super(value); }} }}"
    )


SOURCES = {
    "ARXAnonymizer": SEARCH,
    "ARXConfiguration": CONFIGURATION,
    "ARXResult": RESULT,
    "ARXLattice": LATTICE,
    "ARXProcessStatistics": STATISTICS,
    "ARXPopulationModel": POPULATION,
    "ARXSolverConfiguration": SOLVER,
    "AttributeType": TYPES,
    "Data": TABLE,
    "DataDefinition": DEFINITION,
    "DataHandle": HANDLE,
    "metric.Metric": METRIC,
    "metric.InformationLoss": (
        'public class InformationLoss<T> { public String toString() { return "0.25"; } }'
    ),
    "criteria.PrivacyCriterion": CRITERION,
    "criteria.KAnonymity": criterion("KAnonymity", "int"),
    "criteria.AverageReidentificationRisk": criterion("AverageReidentificationRisk", "double"),
    "criteria.SampleUniqueness": criterion("SampleUniqueness", "double"),
    "criteria.KMap": K_MAP,
    "criteria.PopulationUniqueness": UNIQUENESS,
    "risk.RiskModelPopulationUniqueness": ESTIMATORS,
    "aggregates.StatisticsBuilder": CLASSES,
    "aggregates.StatisticsEquivalenceClasses": (
        "public class StatisticsEquivalenceClasses "
        "{ public int getNumberOfSuppressedRecords() { return 2; } }"
    ),
}


def build(folder: Path) -> Path:
    """Compile the stub into a jar named as ARX names its own."""
    sources, classes, jar = folder / "sources", folder / "classes", folder / "libarx-0.0.1.jar"
    paths = []
    for name, body in SOURCES.items():
        package, _, simple = f"{PACKAGE}.{name}".rpartition(".")
        paths.append(sources / package / f"{simple}.java")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text(f"package {package};\n{body}\n", encoding="utf-8")
    javac = shutil.which("javac")
    assert javac is not None
    subprocess.run([javac, "-d", str(classes), *map(str, paths)], check=True)
    with zipfile.ZipFile(jar, "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes).as_posix())
    return jar
