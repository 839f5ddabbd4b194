/** What is demanded of members, and which anomalies people are notified of. */
import type { ComponentChildren } from 'preact'
import { ask, type Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { numberOf } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { session } from '../../session.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'

export type Settings = Reply<'GET /organisations/:orgID/settings'>

const startDraft = (settings: Settings | undefined) => ({
  isDemanded: settings!.requireSecondFactor,
  least: String(settings!.anomalyNotifyMinUSD),
  isRecurringTold: settings!.anomalyNotifyRecurring,
  isOwnCounted: settings!.consolidated === 'member',
})
const bodyOf = ({ isDemanded, least, isRecurringTold, isOwnCounted }: ReturnType<typeof startDraft>) => ({
  requireSecondFactor: isDemanded,
  anomalyNotifyMinUSD: numberOf(least),
  anomalyNotifyRecurring: isRecurringTold,
  consolidated: isOwnCounted ? ('member' as const) : ('payer' as const),
})
const labels = {
  isDemanded: 'Require a second factor',
  least: 'Minimum anomaly excess to notify about',
  isRecurringTold: 'Notify about recurring anomalies',
  isOwnCounted: "Count an account's own bill",
}

type Draft = ReturnType<typeof startDraft>

const note = (text: ComponentChildren, isStrong = false): FormField<Draft> => ({
  show: () => <p class={isStrong ? 'note' : 'faint'}>{text}</p>,
})

const fieldsOf = ({ isDemanded }: Draft, settings: Settings): FormField<Draft>[] => [
  { name: 'isDemanded', label: 'Require a second factor to sign in', kind: 'check' },
  isDemanded && !settings.requireSecondFactor
    ? note(
        <>
          Sessions without a second factor are refused within five seconds until the user has{' '}
          <a href={hrefOf('account', { tab: 'second-factor' })}>enrolled a device</a>. You must enroll first. Tokens and
          users of your identity provider are exempt. You can turn this off again.
        </>,
        true,
      )
    : note('Tokens and users of your own identity provider are exempt.'),
  {
    name: 'least',
    label: 'Minimum anomaly excess to notify about (USD)',
    kind: 'number',
    at: '/anomalyNotifyMinUSD',
    help: 'Smaller anomalies are still recorded and shown. 0 notifies about all.',
  },
  { name: 'isRecurringTold', label: 'Notify about recurring anomalies', kind: 'check' },
  note('Costs that recur weekly or monthly, such as taxes on the 1st, are recorded and shown either way.'),
  {
    name: 'isOwnCounted',
    label: "When a payer's bill and an account's own bill contain the same charges, count the account's own bill",
    kind: 'check',
  },
  note("Otherwise the payer's bill counts. Nothing is deleted either way."),
]

export function General({ settings, onDone }: { settings: Settings; onDone: () => void }) {
  const params = { orgID: session.value?.orgID ?? '' }
  return (
    <>
      <p class="faint">
        {settings.updatedAt === null ? 'Default settings.' : `Last changed ${timeText(settings.updatedAt)}.`}{' '}
        Organization <code>{params.orgID}</code>
      </p>
      <Form
        noun="settings"
        title={null}
        isStanding
        thing={settings}
        begun={startDraft}
        look={async () => (await ask('GET /organisations/:orgID/settings', { params })).data}
        fields={(draft) => fieldsOf(draft, settings)}
        labels={labels}
        body={bodyOf}
        update="PATCH /organisations/:orgID/settings"
        params={params}
        needs={{ update: 'admin' }}
        onDone={onDone}
      />
    </>
  )
}
