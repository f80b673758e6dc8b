package io.fenceline.jdbc.guard;

import io.fenceline.FencingToken;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The columns in which a fenced table keeps its fences.
 *
 * @param table the table, perhaps after a schema and a dot
 * @param key the column that names a row
 * @param fence the column with the greatest token
 * @param lockKey the column with the lock key whose tokens these are, if there is one
 * @param form how the column holds tokens
 */
record FenceColumns(String table, String key, String fence, Optional<String> lockKey, Form form) {

    /** The form in which a column holds tokens. */
    enum Form {
        /** As numbers, NULL or 0 before the first. */
        NUMBER("0") {
            @Override
            Object of(FencingToken token) {
                return token.value();
            }

            @Override
            FencingToken parse(String text) {
                return FencingToken.of(new BigDecimal(text).longValueExact());
            }
        },
        /** As texts of 15 digits, whose order is the order of numbers; NULL, empty or 0 before the first. */
        TEXT("''") {
            @Override
            Object of(FencingToken token) {
                return token.text();
            }

            @Override
            FencingToken parse(String text) {
                return FencingToken.parse(text);
            }
        };

        private static final Pattern NEVER_FENCED = Pattern.compile("\\s*(0+([.]0+)?)?\\s*");

        private final String none;

        Form(String none) {
            this.none = none;
        }

        abstract Object of(FencingToken token);

        abstract FencingToken parse(String text);

        String none() {
            return none;
        }

        /** Returns the token in a column; throws an unchecked exception if it holds anything else. */
        final Optional<FencingToken> read(@Nullable String text) {
            return text == null || NEVER_FENCED.matcher(text).matches()
                    ? Optional.empty()
                    : Optional.of(parse(text.trim()));
        }
    }
}
