package io.fenceline.hibernate;

import io.fenceline.ResourceName;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a resource with gaps that are filled by an entity's attributes.
 *
 * @param text the template, for instance {@code invoice:{id}}
 * @param names what stands in braces, in order
 */
record ResourceTemplate(String text, List<String> names) {

    static final String ID = "id";

    private static final Pattern GAP = Pattern.compile("\\{([^{}]*)}");

    static ResourceTemplate of(String text) {
        List<String> names = new ArrayList<>();
        Matcher gaps = GAP.matcher(text);
        while (gaps.find()) {
            names.add(gaps.group(1));
        }
        return new ResourceTemplate(text, List.copyOf(names));
    }

    boolean needsId() {
        return names.contains(ID);
    }

    String fill(Function<String, @Nullable Object> values) {
        if (names.isEmpty()) {
            return ResourceName.of(text).value();
        }
        String name = GAP.matcher(text).replaceAll(gap -> {
            Object value = values.apply(gap.group(1));
            if (value == null) {
                throw new IllegalArgumentException("resource '" + text + "' cannot be named: {" + gap.group(1)
                        + "} is null; assign it before the entity is written");
            }
            return Matcher.quoteReplacement(value.toString());
        });
        return ResourceName.of(name).value();
    }
}
