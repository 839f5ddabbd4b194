/** DNS lookups for names given by customers. */
import { Resolver } from 'node:dns/promises'
import { Fault } from '#engine/value/fault.ts'

/** Milliseconds for each of two tries. */
const timeoutMs = 3_000

/**
 * The TXT records of a name, each with its pieces joined; empty if the name or such records do not exist.
 * @throws Fault `transient` `upstream_failed` if the DNS does not answer, with the name and the reason
 */
export async function txtRecords(
  name: string,
  resolver: Pick<Resolver, 'resolveTxt'> = new Resolver({ timeout: timeoutMs, tries: 2 }),
): Promise<string[]> {
  try {
    return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''))
  } catch (error) {
    const { code = 'no reason' } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME') return []
    throw Fault.transient('upstream_failed', `The DNS lookup of ${name} failed (${code}). Try again.`, error)
  }
}
