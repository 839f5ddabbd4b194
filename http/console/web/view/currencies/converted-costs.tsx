/** The costs of the last months in another currency, by the rates that apply to them. */
import type { Reply } from '../../api.ts'
import { addMonths, dayText, firstOf, lastOf, monthText, today } from '../../day.ts'
import { useReport } from '../../report.ts'
import { change, param } from '../../router.ts'
import { ChoiceField } from '../../part/form.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'

const monthsShown = 6

interface Month {
  month: string
  amount: number
}

export function ConvertedCosts({ currencies }: { currencies: readonly string[] }) {
  const chosen = currencies.find((one) => one === param('currency')) ?? currencies[0]!
  const month = today().slice(0, 7)
  const report = useReport('GET /reports/costs/series', {
    query: {
      from: `${addMonths(month, 1 - monthsShown)}-01`,
      to: lastOf(firstOf(today())),
      granularity: 'monthly',
      currency: chosen,
    },
  })
  const { rateDay, usdPerUnit } = (report.meta ?? {}) as { rateDay?: string; usdPerUnit?: string }
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency: chosen })
  const columns: Column<Month>[] = [
    { title: 'Month', text: (one) => monthText(one.month), by: (one) => one.month },
    {
      title: `Costs in ${chosen}`,
      by: ({ amount }) => amount,
      csv: ({ amount }) => amount,
      isFigure: true,
      show: ({ amount }) => <>{format.format(amount)}</>,
    },
  ]
  return (
    <ListView
      title="Costs in another currency"
      noun="converted-costs"
      about={
        rateDay !== undefined && (
          <span class="faint">
            All by one rate: {usdPerUnit} US dollars for one {chosen}, from {dayText(rateDay)} on
          </span>
        )
      }
      intro={
        currencies.length > 1 && (
          <ChoiceField
            label="Currency"
            value={chosen}
            onValue={(currency: string) => change({ currency })}
            options={currencies.map((value) => ({ value, title: value }))}
          />
        )
      }
      report={report}
      rows={({ periods, total }: Reply<'GET /reports/costs/series'>) =>
        periods.map((period, at) => ({ month: period, amount: total.values[at]! }))
      }
      keyOf={(one: Month) => one.month}
      columns={columns}
      empty={{ title: 'No costs yet.' }}
    />
  )
}
