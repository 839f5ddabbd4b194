import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { january, sliceParams } from '#analytics/store/slice.ts'
import { allOfThem, narrower } from '#analytics/cost/charge.ts'

const query = questions(import.meta.url)

/** `stream` and `service_name` are empty but for what is charged seldom. */
export const forecastCharges = query(
  'forecast_charges',
  t.Object({ ...sliceParams, ...narrower }),
  t.Object({
    day: t.String(),
    category: t.String(),
    seldom: t.Integer(),
    service_name: t.String(),
    stream: t.String(),
    cost_usd: t.String({ description: 'US dollars, exact' }),
  }),
  { ...january, ...allOfThem },
  { needs: ['charges', 'shown_service'] },
)

const { cost: _, ...days } = sliceParams
const { cost: __, ...ofJanuary } = january

export const forecastBilledDays = query(
  'forecast_billed_days',
  t.Object(days),
  t.Object({ cloud_account_id: t.String(), days: t.Array(t.String()) }),
  ofJanuary,
)

export const forecastQuestions = [forecastCharges, forecastBilledDays]
