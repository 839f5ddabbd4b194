/** Pages through the resources of an organization. */
import type { Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Reads } from '#engine/actor/ports.ts'

export type RunTools = Pick<Tools, 'reads' | 'publisher'>

/** Rows of one page. */
const pageMax = 500

/**
 * Pages of the rows of `sql`, sorted by account and uid. Its parameters: organization ($1), the account and uid after
 * which to continue ($2, $3), the maximum number of rows ($4), and `more` ($5 and on).
 */
export async function* pagesOf<T extends { account: string; uid: string }>(
  reads: Pick<Reads, 'rows'>,
  sql: string,
  { orgId, signal }: Pick<EffectCall, 'orgId' | 'signal'>,
  more: readonly unknown[],
): AsyncGenerator<T[]> {
  for (let account = '', uid = ''; ;) {
    signal.throwIfAborted()
    const page = await reads.rows<T>(sql, [orgId, account, uid, pageMax, ...more])
    const last = page.at(-1)
    if (!last) return
    yield page
    if (page.length < pageMax) return
    ;({ account, uid } = last)
  }
}
