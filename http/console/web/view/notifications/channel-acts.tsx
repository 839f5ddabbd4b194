/** What is done to one channel: a test, another signing secret, its end. */
import { curlOf } from '../../address.ts'
import { pluralize } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ConfirmButton } from '../../part/confirm-dialog.tsx'
import { Confirm } from '../../part/confirm.tsx'
import { Copy } from '../../part/copy.tsx'
import { OneTimeSecret } from '../../part/one-time-secret.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { addressShown, type Channel } from './channels-and-events.ts'

/** One message, now, marked as a test. */
export function Test({ channel, again }: { channel: Channel; again: () => void }) {
  const doing = useRequest('POST /notifications/channels/:channelID/test')
  const test = () => void doing.run({ params: { channelID: channel.id } }, again)
  const { done } = doing
  return (
    <>
      <Act needs="service.update" isSmall disabled={doing.isBusy} label={`Send test to ${channel.name}`} onClick={test}>
        {doing.isBusy ? 'Sending…' : 'Send test'}
      </Act>
      {done && (
        <span class="sub" role="status">
          {done.delivered ? (
            <span class="badge good">delivered</span>
          ) : (
            <>
              <span class="badge failed">not delivered</span> {done.message}
            </>
          )}
          {done.status > 0 ? ` (${done.status})` : ''}{' '}
          <a href={hrefOf('notifications', { tab: 'sent', event_type: 'test', channel_id: channel.id })}>tests</a>
        </span>
      )}
      {doing.problem && <ProblemMessage problem={doing.problem} />}
    </>
  )
}

interface DeleteProps {
  channel: Channel
  /** Of its subscriptions. */
  count: number | undefined
  onDone: () => void
}

export const Delete = ({ channel, count, onDone }: DeleteProps) => (
  <ConfirmButton
    operation="DELETE /notifications/channels/:channelID"
    params={{ channelID: channel.id }}
    needs="service.delete"
    class="quiet"
    isDanger
    label="Delete…"
    name={`Delete ${channel.name}`}
    title="Delete this channel?"
    action="Delete channel"
    onDone={onDone}
  >
    <p>
      <strong dir="auto">{channel.name}</strong> ({addressShown(channel.config)}) will receive no more notifications.
      Its {pluralize(count ?? 0, 'subscription')} {count === 1 ? 'is' : 'are'} deleted too, and pending deliveries are
      discarded. This cannot be undone. Sent deliveries remain listed.
    </p>
  </ConfirmButton>
)

export function NewSecret({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const doing = useRequest('POST /notifications/channels/:channelID/signing-secret')
  const params = { channelID: channel.id }
  if (doing.done)
    return (
      <OneTimeSecret label={`Signing secret of ${channel.name}`} text={doing.done.signingSecret} onClose={onClose}>
        <p class="faint">Use this text as the key for X-Tidemark-Signature.</p>
      </OneTimeSecret>
    )
  return (
    <Confirm
      title="Create a new signing secret?"
      action="Create new secret"
      isDanger
      doing={doing}
      onConfirm={() => void doing.run({ params })}
      onClose={onClose}
    >
      <p>
        Posts to <strong dir="auto">{channel.name}</strong> are signed with the new secret from the next one on. A
        receiver with the current secret rejects them until you update it. The old secret cannot be restored. Chat
        services do not check signatures.
      </p>
      <p>
        <Copy label="Copy as curl" text={curlOf('POST /notifications/channels/:channelID/signing-secret', params)} />
      </p>
    </Confirm>
  )
}
