package io.fenceline.hibernate;

import io.fenceline.ResourceName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    boolean isNamedByIdAlone() {
        return names.stream().allMatch(ID::equals);
    }

    /** Returns the name, or none if a gap has no text. */
    Optional<String> fill(Function<String, Optional<String>> texts) {
        StringBuilder name = new StringBuilder();
        Matcher gaps = GAP.matcher(text);
        while (gaps.find()) {
            Optional<String> value = texts.apply(gaps.group(1));
            if (value.isEmpty()) {
                return Optional.empty();
            }
            gaps.appendReplacement(name, Matcher.quoteReplacement(value.get()));
        }
        gaps.appendTail(name);
        return Optional.of(ResourceName.of(name.toString()).value());
    }
}
