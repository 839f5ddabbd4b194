/** How tag keys of Azure are shown, of which upper and lower case mean the same. */
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { azureSpellings } from '#analytics/tagging/questions.ts'

/** Keys that are brought along with a question: what is beyond them is shown as it is spelled. */
const keysMax = 500

/** The parameters that questions of tags are asked with: keys in lower case, and by place the spellings they are shown in. */
export async function findSpellings(
  ask: QueryRunner,
  org: string,
): Promise<{ spelled_keys: string[]; spellings: string[][] }> {
  const rows = await ask(azureSpellings, { org, limit: keysMax })
  return { spelled_keys: rows.map(({ folded }) => folded), spellings: rows.map(({ spellings }) => spellings) }
}
