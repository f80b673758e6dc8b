package io.fenceline.spring.boot.test;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.io.ClassPathResource;

/** The page about Spring Boot: its Java compiles, and its table has the properties that there are, with their defaults. */
class SpringPageTest {

    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\n(.*?)^```$");
    private static final Pattern TYPE = Pattern.compile("class (\\w+)");
    private static final Pattern PROPERTY = Pattern.compile("(?m)^\\| `(fenceline\\.[a-z.-]+)` \\| (?:`(.*?)`)? ?\\|");

    private static final Pattern ENTRY = Pattern.compile("\\{[^{}]*\"name\": \"(fenceline\\.[^\"]*)\"[^{}]*\\}");
    private static final Pattern DEFAULT = Pattern.compile("\"defaultValue\": \"?([\\w-]+)");

    private static String page;

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(Path.of("../docs/spring.md"));
    }

    @Test
    void everyJavaBlockCompiles(@TempDir Path folder) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none", "-parameters", "-d", folder.toString(), "-cp", System.getProperty("java.class.path")));
        for (MatchResult block : JAVA.matcher(page).results().toList()) {
            String type = TYPE.matcher(block.group(1))
                    .results()
                    .findFirst()
                    .orElseThrow()
                    .group(1);
            arguments.add(Files.writeString(folder.resolve(type + ".java"), block.group(1))
                    .toString());
        }

        assertThat(arguments).hasSize(6 + 3);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    @Test
    void theTableHasThePropertiesAndTheirDefaults() throws IOException {
        Map<String, String> documented = PROPERTY.matcher(page)
                .results()
                .collect(toMap(row -> row.group(1), row -> row.group(2) == null ? "" : row.group(2)));

        assertThat(new TreeMap<>(documented)).isEqualTo(properties());
    }

    /** Returns the properties of the metadata that IDEs read. */
    private static TreeMap<String, String> properties() throws IOException {
        String metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json")
                .getContentAsString(StandardCharsets.UTF_8);
        TreeMap<String, String> properties = new TreeMap<>();
        ENTRY.matcher(metadata.substring(metadata.indexOf("\"properties\"")))
                .results()
                .forEach(entry -> properties.put(
                        entry.group(1),
                        DEFAULT.matcher(entry.group())
                                .results()
                                .map(value -> value.group(1))
                                .findFirst()
                                .orElse("")));
        return properties;
    }
}
