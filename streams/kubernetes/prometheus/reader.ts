/** Reads series with whichever of the two methods the server supports. */
import { Fault } from '#engine/value/fault.ts'
import { TooLarge } from '#streams/delivery/outbound.ts'
import { rangeQuery } from './range-query.ts'
import { remoteRead, TooMany, RemoteReadUnsupported } from './remote-read.ts'
import { joinSeries, type Matcher, type ReadSeries, type Selector, type PrometheusSeries } from './series.ts'
import { upstreamFault, type PrometheusServer } from './server.ts'

/** Milliseconds; shorter times are not halved again, however many samples there are. */
const spanMinMs = 120_000

/**
 * Tries remote read first; if the server does not support it, uses queries from then on. `matchers` are added to every
 * selector.
 */
export function seriesReader(server: PrometheusServer, matchers: readonly Matcher[] = []): ReadSeries {
  let hasRemoteRead = true
  const once: ReadSeries = async (selector, from, to) => {
    if (!hasRemoteRead) return rangeQuery(server, selector, from, to)
    try {
      return await remoteRead(server, selector, from, to)
    } catch (error) {
      if (!(error instanceof RemoteReadUnsupported)) throw error
      hasRemoteRead = false
      return rangeQuery(server, selector, from, to)
    }
  }
  return ({ name, matchers: own }, from, to) => inParts(once, { name, matchers: [...own, ...matchers] }, from, to)
}

/** Reads the time in halves if one answer cannot contain it. */
async function inParts(
  read: ReadSeries,
  selector: Selector,
  from: number,
  to: number,
): Promise<readonly PrometheusSeries[]> {
  try {
    return await read(selector, from, to)
  } catch (error) {
    if (!isTooMuch(error)) throw error
    if (to - from < spanMinMs) throw upstreamFault(`The response for ${selector.name} is too large.`)
  }
  const middle = from + Math.floor((to - from) / 120_000) * 60_000
  const earlier = await inParts(read, selector, from, middle)
  return joinSeries(earlier, await inParts(read, selector, middle, to))
}

const isTooMuch = (error: unknown): boolean =>
  error instanceof TooMany || (error instanceof Fault && error.cause instanceof TooLarge)
