/** A PostgreSQL that hears statements and answers what the test says, for routes that read by typed statements. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
} from 'kysely'

/** `answer` is called with each statement and its values, and gives its rows. */
export function statements(answer: (sql: string, params: readonly unknown[]) => object[]): Kysely<any> {
  class Answering extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return {
        executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({ rows: answer(sql, parameters) as R[] }),
        async *streamQuery() {},
      }
    }
  }
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Answering(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}
