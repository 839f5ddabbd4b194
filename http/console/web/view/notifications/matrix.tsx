/** Event types beside channels: a mark where the channel tells of all such events of the organization. */
import { useRequest } from '../../report.ts'
import { may } from '../../session.ts'
import { inWords } from '../../problem.ts'
import { Clip } from '../../part/clip.tsx'
import { useChosen } from '../../part/use-chosen.ts'
import { eventName, type Channel, type EventType, type Subscription } from './channels-and-events.ts'

interface MatrixProps {
  types: readonly EventType[]
  channels: readonly Channel[]
  subscriptions: readonly Subscription[]
  again: () => void
}

const categoryTitles: Readonly<Record<string, string>> = {
  resource: 'Resources',
  budget: 'Budgets',
  cost_anomaly: 'Anomalies',
}

export function Matrix({ types, channels, subscriptions, again }: MatrixProps) {
  const at = Map.groupBy(subscriptions, ({ channelID, eventType }) => `${channelID} ${eventType}`)
  return (
    <div class="table" tabindex={0} role="region" aria-label="Subscriptions by channel">
      <table class="told">
        <caption class="unseen">Subscriptions by channel</caption>
        <thead>
          <tr>
            <th scope="col">Event</th>
            {channels.map(({ id, name }) => (
              <th scope="col" key={id}>
                <Clip text={name} size="tight" />
              </th>
            ))}
          </tr>
        </thead>
        {[...Map.groupBy(types, ({ category }) => category)].map(([category, some]) => (
          <tbody key={category}>
            <tr>
              <th scope="rowgroup" colspan={channels.length + 1}>
                {categoryTitles[category]}
              </th>
            </tr>
            {some.map((type) => (
              <tr key={type.key}>
                <th scope="row">
                  {eventName(type)}
                  <code class="sub faint">{type.key}</code>
                </th>
                {channels.map((channel) => (
                  <td key={channel.id}>
                    <SubscriptionCheckbox
                      type={type}
                      channel={channel}
                      found={at.get(`${channel.id} ${type.key}`) ?? []}
                      again={again}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

interface SubscriptionCheckboxProps {
  type: EventType
  channel: Channel
  found: readonly Subscription[]
  again: () => void
}

function SubscriptionCheckbox({ type, channel, found, again }: SubscriptionCheckboxProps) {
  const making = useRequest('POST /notifications/subscriptions')
  const changing = useRequest('PUT /notifications/subscriptions/:subID')
  const ofAll = found.find(({ scopeType }) => scopeType === 'org')
  const narrower = found.filter(({ scopeType, enabled }) => scopeType !== 'org' && enabled).length
  const needs = ofAll ? 'service.update' : 'service.create'
  const { shown, choose } = useChosen(ofAll?.enabled ?? false)
  const put = (event: Event) => {
    const enabled = (event.target as HTMLInputElement).checked
    const made = { channelID: channel.id, eventType: type.key, scopeType: 'org', enabled }
    const work = ofAll
      ? changing.run({ params: { subID: ofAll.id }, body: { enabled } }, again)
      : making.run({ body: made }, again)
    choose(enabled, work)
  }
  const problem = making.problem ?? changing.problem
  const isBusy = making.isBusy || changing.isBusy
  const label = `Notify ${channel.name} about ${eventName(type)}`
  return (
    <>
      <input
        type="checkbox"
        aria-label={may(needs) ? label : `${label}. Requires the ${needs} permission`}
        title={may(needs) ? undefined : `Requires the ${needs} permission`}
        aria-busy={isBusy}
        disabled={!may(needs)}
        checked={shown}
        onChange={put}
      />
      {narrower > 0 && <span class="sub faint">and {narrower} scoped</span>}
      {problem && (
        <span class="wrong" role="alert" title={problem.message}>
          {inWords(problem).title}: {problem.message}
        </span>
      )}
    </>
  )
}
