package io.fenceline.jdbc.product;

import java.util.ArrayList;
import java.util.List;

/** The scripts of a product's guards, as they are without names of the user's. */
public final class GuardScripts {

    private GuardScripts() {}

    /** Returns the scripts for what guards keep besides fences: streams, generation clocks, and an outbox if the product has one. */
    public static String beyondFences(Product product) {
        List<String> parts = new ArrayList<>(List.of("stream", "clock"));
        if (product.outbox().isPresent()) {
            parts.add("outbox");
        }
        return String.join("\n", parts.stream().map(product.fences()::script).toList());
    }
}
