import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.sun.management.OperatingSystemMXBean;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXConfiguration.AnonymizationAlgorithm;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.ARXProcessStatistics;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.ARXSolverConfiguration;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.AverageReidentificationRisk;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.KMap;
import org.deidentifier.arx.criteria.KMap.CellSizeEstimator;
import org.deidentifier.arx.criteria.PopulationUniqueness;
import org.deidentifier.arx.criteria.SampleUniqueness;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;
import org.deidentifier.arx.risk.RiskModelPopulationUniqueness.PopulationUniquenessModel;

/**
 * Searches one table for the optimum of one risk model with ARX and prints what it found as one line
 * of JSON. Arguments are name=value: data (a CSV file), hierarchies (a folder with one ATTRIBUTE.csv
 * for each quasi-identifier), delimiter, warmups, repeats, algorithm, milliseconds (of a heuristic
 * search), suppression_limit, aggregate, model, and the model's own parameters. weight.ATTRIBUTE=number
 * names a quasi-identifier with its weight; the other columns are kept out of the search.
 */
public final class ArxDriver {

    private final Map<String, String> settings = new HashMap<>();

    private ArxDriver(String[] arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            settings.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
    }

    public static void main(String[] arguments) {
        try {
            System.out.println(new ArxDriver(arguments).measure());
        } catch (Throwable thrown) {
            // the last line of stderr is what the user gets to see: the reason, not a stack
            System.err.println(thrown.toString().replaceAll("\\s+", " "));
            System.exit(1);
        }
    }

    /** Searches several times in this JVM; the first searches only let it compile. */
    private String measure() throws IOException {
        Data data = read();
        for (int i = 0; i < integer("warmups"); i++) {
            search(data);
            data.getHandle().release();
        }
        double search = Double.POSITIVE_INFINITY;
        double total = Double.POSITIVE_INFINITY;
        double cpu = Double.POSITIVE_INFINITY;
        String found = null;
        for (int i = 0; i < integer("repeats"); i++) {
            long started = System.nanoTime();
            long worked = processor().getProcessCpuTime();
            ARXResult result = search(data);
            total = Math.min(total, (System.nanoTime() - started) / 1e9);
            cpu = Math.min(cpu, (processor().getProcessCpuTime() - worked) / 1e9);
            search = Math.min(search, result.getTime() / 1e3);
            found = describe(result);
            data.getHandle().release();
        }
        return "{" + found + ", \"search_seconds\": " + search + ", \"total_seconds\": " + total
            + ", \"cpu_seconds\": " + cpu
            + ", \"java\": " + quote(System.getProperty("java.version")) + "}";
    }

    /** Counts the time of all threads, those that compile and collect garbage among them. */
    private static OperatingSystemMXBean processor() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    }

    private Data read() throws IOException {
        Data data = Data.create(text("data"), StandardCharsets.UTF_8, delimiter());
        DataHandle handle = data.getHandle();
        for (int column = 0; column < handle.getNumColumns(); column++) {
            String attribute = handle.getAttributeName(column);
            if (!settings.containsKey("weight." + attribute)) {
                data.getDefinition().setAttributeType(attribute, AttributeType.INSENSITIVE_ATTRIBUTE);
                continue;
            }
            String path = new File(text("hierarchies"), attribute + ".csv").getPath();
            Hierarchy hierarchy = Hierarchy.create(path, StandardCharsets.UTF_8, delimiter());
            data.getDefinition().setAttributeType(attribute, hierarchy);
        }
        return data;
    }

    /** A new configuration each time: ARX initializes models and measure with the data they meet. */
    private ARXResult search(Data data) throws IOException {
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.setAlgorithm(AnonymizationAlgorithm.valueOf(text("algorithm")));
        if (settings.containsKey("milliseconds")) {
            configuration.setHeuristicSearchStepLimit(Integer.MAX_VALUE);
            configuration.setHeuristicSearchTimeLimit(integer("milliseconds"));
        }
        configuration.setSuppressionLimit(number("suppression_limit"));
        configuration.setQualityModel(loss());
        setWeights(configuration);
        addModel(configuration);
        return new ARXAnonymizer().anonymize(data, configuration);
    }

    /**
     * Generalization and suppression count alike (factor 0.5). Precomputed for every attribute
     * (threshold 1.0), as in the ARX authors' benchmarks: schemes are pruned before they are evaluated.
     */
    private Metric<?> loss() {
        return Metric.createPrecomputedLossMetric(
            1.0, 0.5, AggregateFunction.valueOf(text("aggregate")));
    }

    /** ARX takes equal weights where none is set, and weights of 1 are the same. */
    private void setWeights(ARXConfiguration configuration) {
        Set<String> weights = new HashSet<>();
        for (String name : settings.keySet()) {
            if (name.startsWith("weight.")) {
                weights.add(settings.get(name));
            }
        }
        for (String name : weights.size() > 1 ? settings.keySet() : new HashSet<String>()) {
            if (name.startsWith("weight.")) {
                configuration.setAttributeWeight(name.substring("weight.".length()), number(name));
            }
        }
    }

    private void addModel(ARXConfiguration configuration) {
        switch (text("model")) {
            case "k-anonymity":
                configuration.addPrivacyModel(new KAnonymity(integer("k")));
                break;
            case "average":
                configuration.addPrivacyModel(new AverageReidentificationRisk(number("threshold")));
                break;
            case "strict-average":
                configuration.addPrivacyModel(new KAnonymity(integer("k")));
                configuration.addPrivacyModel(new AverageReidentificationRisk(number("threshold")));
                break;
            case "k-map":
                configuration.addPrivacyModel(new KMap(integer("k"), number("significance"),
                    population(), CellSizeEstimator.ZERO_TRUNCATED_POISSON));
                break;
            case "sample-uniqueness":
                configuration.addPrivacyModel(new SampleUniqueness(number("threshold")));
                break;
            case "p-uniqueness":
                configuration.addPrivacyModel(new PopulationUniqueness(number("threshold"),
                    PopulationUniquenessModel.PITMAN, population(), solver()));
                break;
            default:
                throw new IllegalArgumentException("ARX has no model '" + text("model") + "'");
        }
    }

    private ARXPopulationModel population() {
        return ARXPopulationModel.create(Long.parseLong(text("population")));
    }

    /** 16 start values and 10 iterations from each, as in the ARX authors' benchmark of uniqueness. */
    private static ARXSolverConfiguration solver() {
        double[][] starts = new double[16][];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = new double[] {0.33 * (i / 4), 0.33 * (i % 4)};
        }
        return ARXSolverConfiguration.create().preparedStartValues(starts).iterationsPerTry(10);
    }

    private static String describe(ARXResult result) {
        ARXNode optimum = result.getGlobalOptimum();
        ARXProcessStatistics process = result.getProcessStatistics();
        if (optimum == null) {
            return "\"status\": \"no solution\", \"evaluated\": " + process.getTransformationsChecked();
        }
        DataHandle output = result.getOutput(false);
        List<String> levels = new ArrayList<>();
        for (String attribute : optimum.getQuasiIdentifyingAttributes()) {
            levels.add(quote(attribute) + ": " + optimum.getGeneralization(attribute));
        }
        return "\"loss\": " + Double.parseDouble(optimum.getHighestScore().toString())
            + ", \"status\": " + quote(process.getStep(0).isOptimal() ? "optimal" : "heuristic")
            + ", \"levels\": {" + String.join(", ", levels) + "}"
            + ", \"suppressed\": "
            + output.getStatistics().getEquivalenceClassStatistics().getNumberOfSuppressedRecords()
            + ", \"evaluated\": " + process.getTransformationsChecked()
            + ", \"records\": " + output.getNumRows();
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private char delimiter() {
        return text("delimiter").charAt(0);
    }

    private int integer(String name) {
        return Integer.parseInt(text(name));
    }

    private double number(String name) {
        return Double.parseDouble(text(name));
    }

    private String text(String name) {
        String value = settings.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the driver needs " + name + "=...");
        }
        return value;
    }
}
