/** What is demanded of members, and which anomalies people are notified of. */
import { curlOf } from '../../address.ts'
import { ask, type Reply } from '../../api.ts'
import { diffFields, useEditing } from '../../editing.ts'
import { timeText } from '../../day.ts'
import { hrefOf } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.tsx'
import { ConcurrentEdits } from '../../part/concurrent-edits.tsx'
import { CheckField, FormProblem, TextField } from '../../part/form.tsx'
import { numberOf } from '../allocation/draft.ts'

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

export function General({ settings, onDone }: { settings: Settings; onDone: () => void }) {
  const params = { orgID: session.value?.orgID ?? '' }
  const look = async () => (await ask('GET /organisations/:orgID/settings', { params })).data
  const editing = useEditing({ thing: settings, begun: startDraft, look })
  const { draft, set, base, settle, saved } = editing
  const { isDemanded, least, isRecurringTold, isOwnCounted } = draft
  const doing = useRequest('PATCH /organisations/:orgID/settings')
  // What stays is not named: somebody else may have changed it.
  const body = diffFields(bodyOf(base), bodyOf(draft))
  const done = () => {
    saved()
    onDone()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void settle(() => void doing.run({ params, body }, done))
  }
  const isSame = Object.keys(body).length === 0
  return (
    <form class="form" onSubmit={submit} noValidate>
      <p class="faint">
        {settings.updatedAt === null ? 'Default settings.' : `Last changed ${timeText(settings.updatedAt)}.`}{' '}
        Organization <code>{params.orgID}</code>
      </p>
      <CheckField
        label="Require a second factor to sign in"
        isOn={isDemanded}
        onValue={(value: boolean) => set({ isDemanded: value })}
      />
      {isDemanded && !settings.requireSecondFactor ? (
        <p class="note">
          Sessions without a second factor are refused within five seconds until the user has{' '}
          <a href={hrefOf('account', { tab: 'second-factor' })}>enrolled a device</a>. You must enroll first. Tokens and
          users of your identity provider are exempt. You can turn this off again.
        </p>
      ) : (
        <p class="faint">Tokens and users of your own identity provider are exempt.</p>
      )}
      <TextField
        label="Minimum anomaly excess to notify about (USD)"
        value={least}
        onValue={(value: string) => set({ least: value })}
        inputMode="decimal"
        at="/anomalyNotifyMinUSD"
        problem={doing.problem}
        hint="Smaller anomalies are still recorded and shown. 0 notifies about all."
      />
      <CheckField
        label="Notify about recurring anomalies"
        isOn={isRecurringTold}
        onValue={(value: boolean) => set({ isRecurringTold: value })}
      />
      <p class="faint">
        Costs that recur weekly or monthly, such as taxes on the 1st, are recorded and shown either way.
      </p>
      <CheckField
        label="When a payer's bill and an account's own bill contain the same charges, count the account's own bill"
        isOn={isOwnCounted}
        onValue={(value: boolean) => set({ isOwnCounted: value })}
      />
      <p class="faint">Otherwise the payer's bill counts. Nothing is deleted either way.</p>
      <ConcurrentEdits editing={editing} labels={labels} />
      <FormProblem problem={doing.problem} fields={['/anomalyNotifyMinUSD']} />
      <p class="bar">
        <button type="submit" class="main" disabled={doing.isBusy || editing.isLooking || isSame}>
          Save
        </button>{' '}
        <Copy label="Copy as curl" text={curlOf('PATCH /organisations/:orgID/settings', params, {}, body)} />
      </p>
    </form>
  )
}
