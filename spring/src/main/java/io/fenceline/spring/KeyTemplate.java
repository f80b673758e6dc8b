package io.fenceline.spring;

import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Currency;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** Text with expressions over the parameters of one method, as in {@code invoice:#{#id}}. Checked when it is created. */
final class KeyTemplate {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /**
     * What {@link Object#toString} makes of an object of a package, or of an array: its type, and a number that is another one in each process. Without
     * backtracking: somebody else may have chosen a text that is long.
     */
    private static final Pattern IDENTITY = Pattern.compile(
            "((?<![\\w$.])(?:[\\w$]++\\.)++[\\w$]++|(?<!\\[)\\[++(?:[A-Z]|L[\\w.$]++;))@[0-9a-f]{1,8}(?![\\w.-])");

    /** Those of the JDK whose text is the same for equal values in each process. */
    private static final List<Class<?>> TYPES_WITH_TEXT = List.of(
            CharSequence.class,
            Character.class,
            Boolean.class,
            Number.class,
            Enum.class,
            Class.class,
            UUID.class,
            TemporalAccessor.class,
            TemporalAmount.class,
            ZoneId.class,
            Locale.class,
            Currency.class,
            URI.class,
            URL.class,
            Path.class,
            File.class);

    private static final Pattern NAME = Pattern.compile("#(NAME)(REST)|\\{(NAME)(REST)}"
            .replace("NAME", "[a-zA-Z]\\w*")
            .replace("REST", "(?:\\??\\.\\w+(?:\\([^(){}]*\\))?|\\[[^\\[\\]{}]*])*+"));

    private final String text;
    private final Method method;
    private final List<Expression> parts;

    /**
     * Parses a template.
     *
     * @param text with its placeholders resolved
     * @param method whose parameters it may name
     * @throws IllegalArgumentException if it is empty, malformed, or names an unknown parameter
     */
    KeyTemplate(String text, Method method) {
        this.text = text;
        this.method = method;
        if (text.isEmpty()) {
            throw new IllegalArgumentException("its key, or the name of a fence, is empty");
        }
        try {
            Expression parsed = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
            this.parts = parsed instanceof CompositeStringExpression composite
                    ? List.of(composite.getExpressions())
                    : List.of(parsed);
        } catch (ParseException e) {
            throw new IllegalArgumentException("'" + text + "' cannot be parsed: " + e.getMessage(), e);
        }
        checkNames();
    }

    private void checkNames() {
        Set<String> known = new LinkedHashSet<>();
        String[] names = NAMES.getParameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            known.add("p" + i);
            known.add("a" + i);
        }
        if (names != null) {
            known.addAll(Arrays.asList(names));
        }
        for (Expression part : parts) {
            if (part instanceof SpelExpression expression) {
                String property = firstProperty(expression.getAST());
                if (known.contains(property) && !hasProperty(method.getDeclaringClass(), property)) {
                    throw new IllegalArgumentException("'" + text + "' names " + property + " without '#': write #{#"
                            + part.getExpressionString().strip() + "}");
                }
                for (String name : variables(expression.getAST(), new ArrayList<>())) {
                    if (!known.contains(name)) {
                        throw new IllegalArgumentException("'" + text + "' names #" + name + ", which is "
                                + (names == null && method.getParameterCount() > 0
                                        ? "not known: compile with -parameters, or write #p0 for the first parameter"
                                        : "no parameter of the method"));
                    }
                }
            } else {
                Matcher name = NAME.matcher(part.getExpressionString());
                while (name.find()) {
                    String parameter = name.group(1) == null ? name.group(3) : name.group(1);
                    String rest = name.group(1) == null ? name.group(4) : name.group(2);
                    boolean unknown = name.group(1) != null && names == null && method.getParameterCount() > 0;
                    if (known.contains(parameter) || unknown) {
                        throw new IllegalArgumentException("'" + text + "' has " + name.group()
                                + " outside of an expression: write #{#" + parameter + rest + "}");
                    }
                }
            }
        }
    }

    /** Returns the property of the bean that an expression begins with, or an empty text. */
    private static String firstProperty(SpelNode node) {
        SpelNode first = node;
        while (first.getChildCount() > 0) {
            first = first.getChild(0);
        }
        return first instanceof PropertyOrFieldReference property ? property.getName() : "";
    }

    /** As the language finds them: what is not public does not count. */
    private static boolean hasProperty(Class<?> type, String name) {
        String suffix = StringUtils.capitalize(name);
        return Arrays.stream(type.getMethods())
                        .filter(getter -> getter.getParameterCount() == 0)
                        .anyMatch(getter -> getter.getName().equals("get" + suffix)
                                || getter.getName().equals("is" + suffix))
                || Arrays.stream(type.getFields())
                        .anyMatch(field -> field.getName().equals(name));
    }

    private static List<String> variables(SpelNode node, List<String> found) {
        if (node instanceof VariableReference variable) {
            String name = variable.toStringAST().substring(1);
            if (!name.equals("this") && !name.equals("root")) {
                found.add(name);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            variables(node.getChild(i), found);
        }
        return found;
    }

    /**
     * Evaluates the template for one call. The bean that is called is the root object.
     *
     * @throws IllegalArgumentException if an expression fails, is null, or an object without a text of its own
     */
    String evaluate(Object target, @Nullable Object[] arguments, BeanFactory beans) {
        if (parts.size() == 1 && parts.get(0) instanceof LiteralExpression) {
            return text;
        }
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        StringBuilder result = new StringBuilder();
        for (Expression part : parts) {
            result.append(textOf(value(part, context), part));
        }
        return result.toString();
    }

    private @Nullable Object value(Expression part, EvaluationContext context) {
        try {
            return part.getValue(context);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' of " + LockedMethods.nameOf(method) + ": " + part.getExpressionString()
                            + " failed: " + e.getMessage(),
                    e);
        }
    }

    private String textOf(@Nullable Object result, Expression part) {
        Object value = result instanceof Optional<?> optional ? optional.orElse(null) : result;
        if (value == null) {
            throw new IllegalArgumentException("'" + text + "' of " + LockedMethods.nameOf(method) + ": "
                    + part.getExpressionString() + " is null");
        }
        unfit(value).ifPresent(why -> {
            throw new IllegalArgumentException(
                    "'" + text + "' of " + LockedMethods.nameOf(method) + ": " + part.getExpressionString() + why);
        });
        return value.toString();
    }

    /** Says why a value, or one that it contains, has no text that is the same for equal ones in all processes. */
    private static Optional<String> unfit(@Nullable Object value) {
        if (value == null) {
            return Optional.empty();
        }
        Class<?> type = value.getClass();
        boolean ofJdk = isOfJdk(type);
        if (ofJdk && TYPES_WITH_TEXT.stream().anyMatch(each -> each.isInstance(value))) {
            return Optional.empty();
        }
        if (value instanceof Optional<?> optional) {
            return optional.flatMap(KeyTemplate::unfit);
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            return unfit(entry.getKey()).or(() -> unfit(entry.getValue()));
        }
        if (value instanceof Map<?, ?> map) {
            return map.size() < 2 || map instanceof SortedMap || map instanceof EnumMap
                    ? anyUnfit(map.keySet()).or(() -> anyUnfit(map.values()))
                    : Optional.of(withoutOrder(map));
        }
        if (value instanceof Collection<?> collection) {
            return collection.size() < 2
                            || collection instanceof List
                            || collection instanceof SortedSet
                            || collection instanceof EnumSet
                    ? anyUnfit(collection)
                    : Optional.of(withoutOrder(collection));
        }
        if (!hasText(type) || value.toString() == null) {
            return Optional.of(withoutText(type.getTypeName()));
        }
        return ofJdk
                ? Optional.of(withAnotherText(type))
                : anyUnfit(shownFields(value)).or(() -> showingIdentity(value));
    }

    private static Optional<String> anyUnfit(Collection<?> values) {
        return values.stream().flatMap(each -> unfit(each).stream()).findFirst();
    }

    private static String withoutOrder(Object values) {
        return " is or contains a " + values.getClass().getTypeName()
                + ", whose order need not be the same in equal ones, so that these would have different keys; sort it, as by"
                + " #{new java.util.TreeSet(#values)}";
    }

    private static String withoutText(String type) {
        return " is or contains a " + type
                + ", which has no toString() of its own: each instance would have a key of its own";
    }

    private static String withAnotherText(Class<?> type) {
        return " is or contains a " + type.getTypeName()
                + ", whose text is not known to be the same for equal ones in all processes; use one that is, as by #{#date.toInstant()}";
    }

    /** Finds what records and proxies show of objects without a text of their own. */
    private static Optional<String> showingIdentity(Object value) {
        return IDENTITY.matcher(value.toString())
                .results()
                .map(identity -> identity.group(1))
                .filter(type -> type.startsWith("[") || ClassUtils.isPresent(type, null))
                .map(KeyTemplate::withoutText)
                .findFirst();
    }

    /** Returns what the object's text shows as records and generated methods do. */
    private static List<Object> shownFields(Object value) {
        String shown = value.toString();
        List<Object> fields = new ArrayList<>();
        ReflectionUtils.doWithFields(value.getClass(), field -> {
            String start = field.getName() + "=";
            boolean isShown = shown.contains(start) && field.trySetAccessible();
            Object found = isShown ? field.get(value) : null;
            if (found != null && shown.contains(start + found)) {
                fields.add(found);
            }
        });
        return fields;
    }

    private static boolean isOfJdk(Class<?> type) {
        String module = String.valueOf(type.getModule().getName());
        return (module.startsWith("java.") || module.startsWith("jdk.")) && !Proxy.isProxyClass(type);
    }

    private static boolean hasText(Class<?> type) {
        try {
            return !type.isArray() && type.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
