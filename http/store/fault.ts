import { Fault } from '#engine/value/fault.ts'
import { isTaken } from '#engine/run/tell.ts'

/** A server that cannot be reached, as Node.js says it. */
const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'])
/** PostgreSQL: connection exceptions, too many connections, shutting down, crashed, starting up. */
const restarting = /^(?:08\w{3}|53300|57P0[123])$/
/** PostgreSQL: a statement or a wait for a lock took too long, or two waited for one another. Nothing was changed. */
const tooLate = /^(?:57014|55P03|40P01|40001)$/
/** ClickHouse: a table or the database is gone, as where the store was emptied. */
const emptied = /^(?:60|81)$/
/** What the clients say without a code. */
const lost =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying|Timeout error)/

/** What the client of NATS calls its errors. */
const unanswered = new Set(['TimeoutError', 'NoRespondersError', 'ConnectionError', 'ClosedConnectionError'])

const passing = [
  (code: string) => unreachable.has(code),
  (code: string) => restarting.test(code),
  (code: string) => tooLate.test(code),
  (code: string) => emptied.test(code),
]

/** `error` as a fault: one of a store that is away or just starting passes, so it is `unavailable` and no defect; what is there already is a conflict. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (isTaken(error)) return new Fault('conflict', 'already_exists', 'It already exists.', {}, error)
  if (!isAway(error)) return Fault.from(error)
  return Fault.transient('unavailable', 'A data store of the service is not responding.', error)
}

/** Runs `work` again when somebody else wrote the same first: then it is found. */
export const onceMore = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    if (!isTaken(error)) throw error
    return work()
  })

/** Whether a store is away or just starting: the same may work later. Drivers wrap errors: the cause says it where the error does not. */
export function isAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && passing.some((isOf) => isOf(code))) return true
  // A server that listens at a socket is starting anew: it has taken the old one away and not made its own yet.
  if (code === 'ENOENT' && syscall === 'connect') return true
  return lost.test(error.message) || unanswered.has(error.name) || isAway(error.cause, depth + 1)
}
