package io.fenceline.jdbc.outbox;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Headers in one column, form-encoded: text that any language can read. */
final class HeaderText {

    private HeaderText() {}

    static String of(Map<String, String> headers) {
        return headers.entrySet().stream()
                .map(header -> encoded(header.getKey()) + "=" + encoded(header.getValue()))
                .collect(Collectors.joining("&"));
    }

    static Map<String, String> read(String text) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (!text.isEmpty()) {
            for (String header : text.split("&", -1)) {
                int equals = header.indexOf('=');
                headers.put(decoded(header.substring(0, equals)), decoded(header.substring(equals + 1)));
            }
        }
        return headers;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
