package io.fenceline.sharding;

import io.fenceline.spi.SchemaControl;
import java.util.List;
import java.util.stream.Collectors;

/** The tables of all stores. */
record ShardedSchema(List<Shard> shards) implements SchemaControl {

    /** {@inheritDoc} Scripts that are equal are printed once. */
    @Override
    public String schemaScript() {
        return shards.stream()
                .map(shard -> shard.ability(SchemaControl.class).schemaScript())
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    @Override
    public void installSchema() {
        shards.forEach(shard -> shard.ability(SchemaControl.class).installSchema());
    }

    @Override
    public List<String> schemaProblems() {
        return shards.stream()
                .flatMap(shard -> shard.ability(SchemaControl.class).schemaProblems().stream()
                        .map(problem -> shard.name() + ": " + problem))
                .toList();
    }
}
