/** Who is told when a budget reaches a threshold: owners and admins, and the channels that are subscribed for it. */
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { Scope } from './scopes.ts'

/** Subscriptions know neither services nor tags: those of the organization get their events. */
export function Recipients({ scope: { kind, id } }: { scope: Pick<Scope, 'kind' | 'id'> }) {
  const subscriptions = useReport('GET /notifications/subscriptions').data ?? []
  const channels = useReport('GET /notifications/channels').data ?? []
  const own = subscriptions.filter(
    ({ eventType, enabled, scopeType, scopeID }) =>
      enabled &&
      eventType.startsWith('budget.') &&
      (scopeType === 'org' || (id !== '' && scopeType === kind && scopeID === id)),
  )
  const names = channels.filter(({ id: channel }) => own.some(({ channelID }) => channelID === channel))
  return (
    <p class="faint">
      Notified: owners and admins by email
      {names.length > 0 && (
        <>
          , and {names.length === 1 ? 'the channel' : 'the channels'}{' '}
          <span dir="auto">{names.map(({ name }) => name).join(', ')}</span>
        </>
      )}
      . <a href={hrefOf('notifications', { tab: 'subscriptions' })}>Change who is notified</a>
    </p>
  )
}
