/** Reads series by whichever of the two ways the server has. */
import { Fault } from '#engine/value/fault.ts'
import { TooLarge } from '#streams/delivery/outbound.ts'
import { rangeQuery } from './range-query.ts'
import { remoteRead, TooMany, RemoteReadUnsupported } from './remote-read.ts'
import { joinSeries, type Matcher, type ReadSeries, type Selector, type PrometheusSeries } from './series.ts'
import { upstreamFault, type PrometheusServer } from './server.ts'

/** A time shorter than that is not halved any more, however much there is of it. Milliseconds. */
const spanMinMs = 120_000

/** Remote read first; by queries from then on where the server has none. `matchers` are of every selector. */
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

/** In halves where one answer cannot hold it. */
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
