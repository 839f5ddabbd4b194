/**
 * Prometheus' remote read protocol, which returns samples as stored. Source: prompb/remote.proto and prompb/types.proto
 * of Prometheus; only the needed members are decoded.
 */
import { PbfReader, PbfWriter } from 'pbf'
import snappy from 'snappyjs'
import type { OutsideAnswer } from '#streams/delivery/outbound.ts'
import { operators, type Selector, type PrometheusSeries } from './series.ts'
import { askServer, bytesMax, upstreamFault, readError, type PrometheusServer } from './server.ts'

/** Content type of valid answers. */
const mediaType = 'application/x-protobuf'

/** The server does not support the protocol. */
export class RemoteReadUnsupported extends Error {}

/** The result does not fit into one answer. */
export class TooMany extends Error {}

/** @throws RemoteReadUnsupported; TooMany; Fault `upstream_failed` */
export async function remoteRead(
  server: PrometheusServer,
  selector: Selector,
  from: number,
  to: number,
): Promise<PrometheusSeries[]> {
  const answer = await askServer(server, {
    method: 'POST',
    path: 'read',
    headers: {
      'content-type': mediaType,
      'content-encoding': 'snappy',
      accept: mediaType,
      'x-prometheus-remote-read-version': '0.1.0',
    },
    body: snappy.compress(requestOf(selector, from, to)),
  })
  const { status, headers, body } = answer
  if (isUnsupported(answer)) throw new RemoteReadUnsupported(`${status}`)
  if (status !== 200) throw upstreamFault(`The server returned HTTP ${status}${readError(body)}`)
  if (!String(headers['content-type'] ?? mediaType).startsWith(mediaType))
    throw new RemoteReadUnsupported('content-type')
  return seriesIn(unpackBody(body))
}

/** Some servers answer unknown paths with Bad Request. */
function isUnsupported({ status, body }: OutsideAnswer): boolean {
  if ([404, 405, 415, 501].includes(status)) return true
  return status === 400 && /unsupported|not supported|unknown path/i.test(body.subarray(0, 1000).toString('utf8'))
}

function unpackBody(body: Buffer): Uint8Array {
  const packed = new Uint8Array(body)
  try {
    return snappy.uncompress(packed, bytesMax)
  } catch (error) {
    if (error instanceof Error && error.message.includes('too big')) throw new TooMany(error.message)
    throw upstreamFault('The response is not a Prometheus response.')
  }
}

function requestOf({ name, matchers }: Selector, from: number, to: number): Uint8Array {
  const request = new PbfWriter()
  const all = [{ label: '__name__', operator: '=' as const, value: name }, ...matchers]
  request.writeMessage(
    1,
    (_, query) => {
      query.writeVarintField(1, from)
      query.writeVarintField(2, to)
      for (const one of all)
        query.writeMessage(
          3,
          ({ label, operator, value }, matcher) => {
            matcher.writeVarintField(1, operators.indexOf(operator))
            matcher.writeStringField(2, label)
            matcher.writeStringField(3, value)
          },
          one,
        )
    },
    {},
  )
  return request.finish()
}

interface Read {
  labels: Record<string, string>
  times: number[]
  values: number[]
}

function seriesIn(message: Uint8Array): PrometheusSeries[] {
  const found: Read[] = []
  try {
    new PbfReader(message).readFields((tag, _, answer) => {
      if (tag === 1) answer.readMessage(result, found)
    }, found)
  } catch {
    throw upstreamFault('The response is not a Prometheus response.')
  }
  return found
}

function result(tag: number, found: Read[], pbf: PbfReader): void {
  if (tag === 1) found.push(pbf.readMessage(series, { labels: {}, times: [], values: [] }))
}

function series(tag: number, one: Read, pbf: PbfReader): void {
  if (tag === 1) {
    const { name, value } = pbf.readMessage(label, { name: '', value: '' })
    one.labels[name] = value
  } else if (tag === 2) {
    const { value, time } = pbf.readMessage(sample, { value: 0, time: 0 })
    one.times.push(time)
    one.values.push(value)
  }
}

function label(tag: number, one: { name: string; value: string }, pbf: PbfReader): void {
  if (tag === 1) one.name = pbf.readString()
  else if (tag === 2) one.value = pbf.readString()
}

function sample(tag: number, one: { value: number; time: number }, pbf: PbfReader): void {
  if (tag === 1) one.value = pbf.readDouble()
  else if (tag === 2) one.time = pbf.readVarint(true)
}
