/** Exchange rates of the organization, and what its costs are by them. */
import type { Reply } from '../../api.ts'
import { dayText, today } from '../../day.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { Next } from '../../part/next-step.tsx'
import { ConvertedCosts } from './converted-costs.tsx'

type Rate = Reply<'GET /exchange-rates'>['items'][number]

export function View() {
  const report = useReport('GET /exchange-rates', { query: { limit: 1000 } })
  const isNew = param('new') !== undefined
  const done = () => {
    report.again()
    go('currencies')
  }
  const currencies = [...new Set(report.data?.items.map(({ currency }) => currency))].toSorted()
  return (
    <>
      <Head title="Exchange rates">
        {!isNew && (
          <Act needs="service.update" class="main" onClick={() => go('currencies', { new: 'rate' })}>
            New rate
          </Act>
        )}
      </Head>
      {isNew && <RateForm onClose={() => go('currencies')} onDone={done} />}
      {currencies.length > 0 && <ConvertedCosts currencies={currencies} />}
      <ListView
        title="Rates"
        noun="exchange-rates"
        report={report}
        keyOf={({ currency, day }: Rate) => `${currency} ${day}`}
        columns={columnsOf(report.again)}
        empty={{
          title: 'No exchange rates yet.',
          children: (
            <p>
              With a rate, reports can be requested in another currency. Stored amounts stay in US dollars.{' '}
              {!isNew && (
                <Next needs="service.update" what="Setting a rate">
                  <a href={hrefOf('currencies', { new: 'rate' })}>Set the first rate</a>
                </Next>
              )}
            </p>
          ),
        }}
      />
    </>
  )
}

const columnsOf = (onChanged: () => void): Column<Rate>[] => [
  { title: 'Currency', text: ({ currency }) => currency },
  { title: 'From', day: ({ day }) => day },
  {
    title: 'US dollars per unit',
    text: ({ usdPerUnit }) => usdPerUnit,
    isFigure: true,
    by: (one) => Number(one.usdPerUnit),
  },
  { title: 'Set', ago: ({ updatedAt }) => updatedAt },
  {
    title: 'Actions',
    isAction: true,
    show: ({ currency, day }) => (
      <ConfirmButton
        operation="DELETE /exchange-rates/:currency/:day"
        params={{ currency, day }}
        needs="service.delete"
        isDanger
        class="quiet"
        label="Delete"
        of={`${currency} from ${dayText(day)}`}
        title={`Delete the rate of ${currency} from ${dayText(day)}?`}
        action="Delete rate"
        onDone={onChanged}
      >
        <p>Reports that end on its days use the newest rate before it, or are refused if there is none.</p>
      </ConfirmButton>
    ),
  },
]

const startDraft = () => ({ currency: 'EUR', day: today(), usdPerUnit: '' })
type Draft = ReturnType<typeof startDraft>

const fields = (): FormField<Draft>[] => [
  { name: 'currency', label: 'Currency', maxLength: 3, isRequired: true, help: 'ISO 4217 code, such as EUR.' },
  { name: 'day', label: 'From day', kind: 'date', help: 'Until the day of the next rate of this currency.' },
  {
    name: 'usdPerUnit',
    label: 'US dollars for one unit',
    isRequired: true,
    placeholder: '1.0843',
    help: 'A rate of the same day is replaced.',
  },
]

const RateForm = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => (
  <Form
    noun="rate"
    begun={startDraft}
    fields={fields}
    body={({ usdPerUnit }: Draft) => ({ usdPerUnit: usdPerUnit.trim() })}
    params={({ currency, day }: Draft) => ({ currency: currency.trim(), day })}
    create="PUT /exchange-rates/:currency/:day"
    needs={{ create: 'service.update' }}
    onClose={onClose}
    onDone={onDone}
  />
)
