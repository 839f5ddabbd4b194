/** How tag keys of Azure are shown, which are the same in upper and lower case. */
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { azureSpellings } from '#analytics/tagging/questions.ts'

/** Keys sent with a query; further keys are shown as they are spelled. */
const keysMax = 500

/** Parameters of queries by tag: keys in lower case, and by position the spellings to show. */
export async function findSpellings(
  ask: QueryRunner,
  org: string,
): Promise<{ spelled_keys: string[]; spellings: string[][] }> {
  const rows = await ask(azureSpellings, { org, limit: keysMax })
  return { spelled_keys: rows.map(({ folded }) => folded), spellings: rows.map(({ spellings }) => spellings) }
}
