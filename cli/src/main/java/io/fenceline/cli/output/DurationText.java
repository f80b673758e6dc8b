package io.fenceline.cli.output;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;

/** Parses and prints durations such as {@code 30s}. */
public final class DurationText {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private DurationText() {}

    /**
     * Parses {@code 30s}, {@code 1500ms}, {@code 2m}, {@code 1.5h}, {@code 7d}, an ISO 8601 duration such as {@code PT30S}, or a number of
     * seconds such as {@code 10} or {@code 0.5}.
     *
     * @throws IllegalArgumentException if the text is anything else, or the duration is negative or too long
     */
    public static Duration parse(String text) {
        try {
            if (text.startsWith("P") || text.startsWith("p")) {
                return notNegative(Duration.parse(text));
            }
            int unit = 0;
            while (unit < text.length() && isNumeric(text.charAt(unit))) {
                unit++;
            }
            return of(text.substring(0, unit), nanosOf(text.substring(unit)));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is too long; a duration has at most " + LONGEST.toDays() + " days", e);
        } catch (DateTimeException | NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a duration such as 30s, 1500ms, 2m, PT1H or, in seconds, 10", e);
        }
    }

    private static Duration of(String number, long unitNanos) {
        for (int i = 0; i < number.length(); i++) {
            if (!isNumeric(number.charAt(i))) {
                throw new NumberFormatException(number);
            }
        }
        BigDecimal nanos = new BigDecimal(number).multiply(BigDecimal.valueOf(unitNanos));
        return Duration.ofNanos(nanos.toBigInteger().longValueExact());
    }

    private static boolean isNumeric(char c) {
        return (c >= '0' && c <= '9') || c == '.';
    }

    private static long nanosOf(String unit) {
        return switch (unit) {
            case "ms" -> 1_000_000L;
            case "s", "" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            case "d" -> 86_400_000_000_000L;
            default -> throw new NumberFormatException(unit);
        };
    }

    private static Duration notNegative(Duration duration) {
        if (duration.isNegative()) {
            throw new DateTimeException("negative");
        } else if (duration.compareTo(LONGEST) > 0) {
            throw new ArithmeticException("too long");
        }
        return duration;
    }

    /** Prints a duration in at most two units: {@code 850ms}, {@code 12.3s}, {@code 3m 5s}, {@code 2d 4h}. */
    public static String of(Duration duration) {
        if (duration.toSeconds() == 0) {
            return duration.toMillis() + "ms";
        }
        if (duration.toMinutes() == 0) {
            return duration.toSeconds() + "." + duration.toMillisPart() / 100 + "s";
        }
        if (duration.toHours() == 0) {
            return duration.toMinutes() + "m " + duration.toSecondsPart() + "s";
        }
        return duration.toDays() == 0
                ? duration.toHours() + "h " + duration.toMinutesPart() + "m"
                : duration.toDays() + "d " + duration.toHoursPart() + "h";
    }
}
