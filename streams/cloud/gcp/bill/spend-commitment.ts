/**
 * Commitments to an amount (spend-based), from the metadata that Google exports daily to the data set of the bill:
 * `cud_subscriptions_export`. Bills name the same ids.
 */
import { parseJson } from '#engine/value/json.ts'
import { decoder, t, type Static } from '#engine/value/schema.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { text } from '#streams/cloud/gcp/answer/field.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { queriedLines } from './big-query.ts'
import { placeOfBills, type BillPlace } from './location.ts'

const nullable = t.Optional(t.Union([t.String(), t.Null()]))

/** Google spells the amount's name so. */
const Row = t.Object(
  {
    subscription: t.Object(
      { instance_id: t.String({ minLength: 1 }), display_name: nullable },
      { additionalProperties: true },
    ),
    cud_product: t.Optional(t.Object({ display_name: nullable }, { additionalProperties: true })),
    region: nullable,
    commitent_amount: t.Optional(
      t.Union([
        t.Object(
          { unit: nullable, value: t.Optional(t.Union([t.Number(), t.String(), t.Null()])) },
          { additionalProperties: true },
        ),
        t.Null(),
      ]),
    ),
    term: nullable,
    start_time: text,
    end_time: text,
  },
  { additionalProperties: true },
)
export type SpendCommitment = Static<typeof Row>
const decode = decoder(Row)

/** Snapshots of all days are in the table; those of one commitment differ in nothing that is read here. */
const sqlOf = ({ project, dataset }: BillPlace): string => `
SELECT DISTINCT TO_JSON_STRING(line) AS line
FROM \`${project}.${dataset}.cud_subscriptions_export\` AS line
WHERE end_time > CURRENT_TIMESTAMP()`

/** Those that have not ended; none if the bill is not in BigQuery, or the metadata is not exported. @throws a `cloudFault` */
export async function spendCommitmentsOf(session: GcpSession): Promise<SpendCommitment[]> {
  const place = placeOfBills(session.account)
  if (!place) return []
  const found = new Map<string, SpendCommitment>()
  try {
    const lines = queriedLines(session, place.project, { query: sqlOf(place), labels: { tidemark: 'commitment' } })
    for await (const line of lines) {
      const one = read(line)
      found.set(one.subscription.instance_id, one)
    }
  } catch (error) {
    if ((error as { code?: string }).code !== 'not_found') throw error
  }
  return [...found.values()]
}

function read(line: string): SpendCommitment {
  try {
    return decode(parseJson(line))
  } catch (error) {
    throw cloudFault('system', 'unknown_answer', 'The export of commitments cannot be read.', {}, error)
  }
}
