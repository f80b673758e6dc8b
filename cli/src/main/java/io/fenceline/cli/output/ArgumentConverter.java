package io.fenceline.cli.output;

import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts an argument; the message of an {@link IllegalArgumentException} is printed as it is. */
public final class ArgumentConverter<T> implements ITypeConverter<T> {

    private final Function<String, T> parser;

    public ArgumentConverter(Function<String, T> parser) {
        this.parser = parser;
    }

    @Override
    public T convert(String text) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
