/** Questions to the DNS about names that customers give. */
import { Resolver } from 'node:dns/promises'
import { Fault } from '#engine/value/fault.ts'

/** Each of two tries is given so long. */
const timeoutMs = 3_000

/**
 * The texts of a name's TXT records, their pieces joined; none for a name that is not there or has none.
 * @throws Fault `transient` `upstream_failed` when the DNS does not answer, naming the name and its reason
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
