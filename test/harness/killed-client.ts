import type { ClickHouseClient } from '@clickhouse/client'

/**
 * The client of a process that is killed before its call `n`. What ClickHouse has been asked before that it carries out, and nothing that
 * the process waits for then is ever answered, so that nothing is cleaned up.
 */
export function killedAt(ch: ClickHouseClient, n: number): { dying: ClickHouseClient; killed: Promise<'killed'> } {
  const { promise: killed, resolve } = Promise.withResolvers<'killed'>()
  const never = new Promise<never>(() => {})
  let calls = 0
  const dying = new Proxy(ch, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name)
      if (name !== 'query' && name !== 'command' && name !== 'insert') return own
      return async (params: unknown) => {
        if (++calls >= n) {
          resolve('killed')
          return never
        }
        const answer = await (own as (of: unknown) => Promise<unknown>).call(target, params)
        return calls >= n ? never : answer
      }
    },
  })
  return { dying, killed }
}
