"""Tables that stay in an engine, through Ibis: DuckDB, PostgreSQL, Spark and what else Ibis knows."""
