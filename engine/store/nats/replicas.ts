import { JetStreamApiError } from '@nats-io/jetstream'
import { Fault } from '#engine/value/fault.ts'

/**
 * JetStream's codes for more replicas than servers: fewer than are needed respond, there is no cluster, or the cluster
 * has too few.
 */
const codes: readonly number[] = [10_005, 10_074, 10_023]

/** Says what to do if a stream cannot have its replicas; any other error is returned as it is. */
export function asReplicaFault(error: unknown, stream: string, replicas = 1): unknown {
  if (!(error instanceof JetStreamApiError) || !codes.includes(error.code)) return error
  const message = `NATS cannot store ${stream} on ${replicas} servers: ${error.message}. Start that many servers of one cluster, or set TIDEMARK_STREAM_REPLICAS to what there is.`
  return new Fault('refused', 'nats_replicas', message, {}, error)
}
