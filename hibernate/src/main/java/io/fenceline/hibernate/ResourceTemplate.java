package io.fenceline.hibernate;

import io.fenceline.ResourceName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Template of a resource name, for instance {@code invoice:{id}}. The {@code names} are the placeholders, in order.
 */
record ResourceTemplate(String text, List<String> names) {

    static final String ID = "id";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

    static ResourceTemplate of(String text) {
        List<String> names = new ArrayList<>();
        Matcher placeholders = PLACEHOLDER.matcher(text);
        while (placeholders.find()) {
            names.add(placeholders.group(1));
        }
        return new ResourceTemplate(text, List.copyOf(names));
    }

    boolean needsId() {
        return names.contains(ID);
    }

    boolean hasOnePlaceholder() {
        return Set.copyOf(names).size() == 1;
    }

    boolean isNamedByIdAlone() {
        return names.stream().allMatch(ID::equals);
    }

    /** Returns the name, or empty if a placeholder has no text. */
    Optional<String> fill(Function<String, Optional<String>> texts) {
        StringBuilder name = new StringBuilder();
        Matcher placeholders = PLACEHOLDER.matcher(text);
        while (placeholders.find()) {
            Optional<String> value = texts.apply(placeholders.group(1));
            if (value.isEmpty()) {
                return Optional.empty();
            }
            placeholders.appendReplacement(name, Matcher.quoteReplacement(value.get()));
        }
        placeholders.appendTail(name);
        return Optional.of(ResourceName.of(name.toString()).value());
    }
}
