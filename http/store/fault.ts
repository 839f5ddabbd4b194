import { Fault } from '#engine/value/fault.ts'
import { isTaken } from '#engine/run/tell.ts'

/** Error codes of Node.js for a server that cannot be reached. */
const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'])
/** PostgreSQL: connection exceptions, too many connections, shutting down, crashed, starting up. */
const restarting = /^(?:08\w{3}|53300|57P0[123])$/
/** PostgreSQL: a statement or a lock wait timed out, or a deadlock was found. Nothing was changed. */
const tooLate = /^(?:57014|55P03|40P01|40001)$/
/** ClickHouse: a table or the database does not exist, because the store was emptied. */
const missingTable = /^(?:60|81)$/
/** PostgreSQL: the disk is full; ClickHouse: not enough space. */
const fullDisk = /^(?:53100|243)$/
/** Messages about a full disk, of ClickHouse, NATS and the operating system. */
const noSpace = /No space left on device|insufficient (?:storage )?resources|Cannot reserve .* not enough space/i

/** Messages of client errors that have no code. */
const lostConnection =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying|Timeout error)/

/** Names of errors of the NATS client. */
const unansweredErrors = new Set(['TimeoutError', 'NoRespondersError', 'ConnectionError', 'ClosedConnectionError'])

const passing = [
  (code: string) => unreachable.has(code),
  (code: string) => restarting.test(code),
  (code: string) => tooLate.test(code),
  (code: string) => missingTable.test(code),
]

/** Converts `error` to a fault: `storage_full` or `unavailable` if a store has no room, is down or is starting, a conflict if a row already exists, otherwise a defect. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (isTaken(error)) return new Fault('conflict', 'already_exists', 'It already exists.', {}, error)
  if (isOutOfSpace(error))
    return Fault.transient('storage_full', 'The disk of a data store is full, so nothing can be changed.', error)
  if (!isAway(error)) return Fault.from(error)
  return Fault.transient('unavailable', 'A data store of the service is not responding.', error)
}

/** Runs `work` a second time if another request wrote the same row first: the second run finds that row. */
export const onceMore = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    if (!isTaken(error)) throw error
    return work()
  })

/** Whether a store refused to write because its disk is full. */
export function isOutOfSpace(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false
  const { code } = error as { code?: unknown }
  return (
    (typeof code === 'string' && fullDisk.test(code)) ||
    noSpace.test(error.message) ||
    isOutOfSpace(error.cause, depth + 1)
  )
}

/** Whether a store is down or starting, so that a retry may succeed. Drivers wrap errors, so causes are checked too. */
export function isAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && passing.some((isOf) => isOf(code))) return true
  // A server that listens at a socket is restarting: it has removed the old socket and not created the new one yet.
  if (code === 'ENOENT' && syscall === 'connect') return true
  return lostConnection.test(error.message) || unansweredErrors.has(error.name) || isAway(error.cause, depth + 1)
}
