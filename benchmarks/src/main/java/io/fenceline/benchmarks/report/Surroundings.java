package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.store.Disk;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreServers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Describes in Markdown the machine and the settings of a run. */
public final class Surroundings {

    private static final List<String> LIBRARIES = List.of(
            "lettuce-core",
            "jedis",
            "postgresql",
            "HikariCP",
            "sqlite-jdbc",
            "redisson",
            "spring-integration-core",
            "spring-core",
            "spring-data-redis",
            "shedlock-core",
            "netty-common");

    private Surroundings() {}

    /** Returns a list of what may matter. */
    public static String text(String command, StoreServers stores, Collection<Store> used) throws IOException {
        StringBuilder text = new StringBuilder();
        line(text, "Command", "`" + command + "`");
        line(text, "Date", LocalDate.now(ZoneOffset.UTC).toString());
        line(text, "Machine", machine());
        line(text, "Load before", load());
        line(
                text,
                "Disk",
                "a flushed append of 4 kB takes " + Disk.flushMicros() + " µs (median of " + Disk.FLUSHES + ")");
        line(text, "Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        for (Store store : used) {
            line(text, "Store " + store.title(), stores.probe(store).description());
        }
        line(text, "Libraries", libraries());
        return text.toString();
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append("- ").append(name).append(": ").append(value).append('\n');
    }

    private static String machine() {
        String processor = first("/proc/cpuinfo", "model name\\s*:\\s*(.+)");
        long gigabytes = Math.round(Long.parseLong("0" + first("/proc/meminfo", "MemTotal:\\s*(\\d+)")) / 1048576.0);
        return Runtime.getRuntime().availableProcessors() + " processors (" + processor + "), " + gigabytes + " GB, "
                + System.getProperty("os.name") + " " + System.getProperty("os.version")
                + "; clients and servers share them";
    }

    private static String load() {
        return String.format(
                Locale.ROOT,
                "%.2f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String first(String file, String pattern) {
        try {
            Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(Path.of(file)));
            return matcher.find() ? matcher.group(1) : "";
        } catch (IOException notLinux) {
            return "";
        }
    }

    /** What the names of the jars on the class path say. */
    private static String libraries() {
        String jars = System.getProperty("java.class.path");
        return LIBRARIES.stream()
                .map(library -> {
                    Matcher matcher = Pattern.compile("[/:]" + library + "-([0-9][^/:]*?)\\.jar")
                            .matcher(jars);
                    return library + " " + (matcher.find() ? matcher.group(1) : "?");
                })
                .collect(Collectors.joining(" · "));
    }
}
