package io.fenceline.sharding;

import io.fenceline.spi.SchemaControl;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables of all stores that have tables, and the record of which stores belong together. */
record ShardedSchema(List<Shard> shards, Membership membership) implements SchemaControl {

    /** {@inheritDoc} Scripts that are equal are printed once. */
    @Override
    public String schemaScript() {
        return controls().map(SchemaControl::schemaScript).distinct().collect(Collectors.joining("\n"));
    }

    /** {@inheritDoc} From then on the stores refuse processes that have a set of stores of an older generation. */
    @Override
    public void installSchema() {
        controls().forEach(SchemaControl::installSchema);
        membership.record();
    }

    @Override
    public List<String> schemaProblems() {
        Stream<String> tables = shards.stream()
                .flatMap(shard -> control(shard)
                        .flatMap(schema -> schema.schemaProblems().stream())
                        .map(problem -> shard.name() + ": " + problem));
        return Stream.concat(tables, membership.check().map(Membership.Problem::toString).stream())
                .toList();
    }

    private Stream<SchemaControl> controls() {
        return shards.stream().flatMap(ShardedSchema::control);
    }

    private static Stream<SchemaControl> control(Shard shard) {
        return shard.backend().ability(SchemaControl.class).stream();
    }
}
