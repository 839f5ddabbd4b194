/** What the person was told in this organization by mail, newest first; what came since the last look, on whatever device, is unread. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Reply } from '../api.ts'
import { timeText } from '../day.ts'
import { pluralize } from '../figure.ts'
import { ReportContent } from '../part/report-content.tsx'
import { useReport } from '../report.ts'
import { currentRoute, hrefOf } from '../router.ts'
import { session } from '../session.ts'
import { Icon } from './icon.tsx'

type Deliveries = Reply<'GET /notifications/deliveries'>

const shownMax = 20

/** Until when the person has read: on any device, and at once what was looked at in this page. */
function useReadMark(on: readonly string[]) {
  const { data } = useReport('GET /notifications/read-mark', { on })
  const [seenUntil, setSeen] = useState('')
  const stored = data?.readUntil ?? ''
  const read = (until: string) => {
    setSeen(until)
    // What is not kept is unread again the next time: nothing is lost.
    ask('PUT /notifications/read-mark', { body: { readUntil: until } }).catch(() => undefined)
  }
  return { readUntil: seenUntil > stored ? seenUntil : stored, isKnown: data !== undefined, read }
}

const events = ['anomaly.', 'budget.', 'action.', 'workflow.']

export function Bell() {
  const box = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  /** What was unread when the list was opened stays marked while it is. */
  const [before, setBefore] = useState('')
  const mine = `mail:${session.value?.me.user?.id ?? ''}`
  const report = useReport('GET /notifications/deliveries', {
    query: { channel_id: mine, limit: shownMax },
    on: events,
  })
  const { readUntil, isKnown, read } = useReadMark(events)
  const items = report.data?.items ?? []
  const unread = isKnown ? items.filter(({ createdAt }) => createdAt > readUntil).length : 0
  useEffect(() => setOpen(false), [currentRoute.value])
  useEffect(() => {
    if (!isOpen) return
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [isOpen])
  const toggle = () => {
    setBefore(readUntil)
    setOpen(!isOpen)
    const [newest] = items
    if (!isOpen && newest && newest.createdAt > readUntil) read(newest.createdAt)
  }
  const count = unread === shownMax ? `${shownMax}+` : String(unread)
  const label = unread === 0 ? 'Your notifications' : `Your notifications, ${count} unread`
  const pressed = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return
    setOpen(false)
    box.current?.querySelector('button')?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Esc closes what is open in it
    <div class="bell" ref={box} onKeyDown={pressed}>
      <button
        type="button"
        class="quiet round"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={toggle}
      >
        <Icon name="notifications" />
        {unread > 0 && (
          <span class="count" aria-hidden="true">
            {count}
          </span>
        )}
      </button>
      {isOpen && (
        <div class="pop told">
          <ReportContent report={report} rows={3}>
            {(data: Deliveries) => <Told items={data.items} total={data.total} before={before} />}
          </ReportContent>
        </div>
      )}
    </div>
  )
}

interface ToldProps {
  items: Deliveries['items']
  total: number
  /** What is newer is unread. */
  before: string
}

const Told = ({ items, total, before }: ToldProps) => (
  <>
    {items.length === 0 && <p>You have no notifications in the last 90 days.</p>}
    <ul class="list">
      {items.map(({ id, title, createdAt }) => (
        <li key={id} class={createdAt > before ? 'unread' : ''}>
          <a class="wrap" dir="auto" href={hrefOf('notifications', { tab: 'sent', delivery: id })}>
            {title}
          </a>
          <span class="faint">
            {timeText(createdAt)}
            {createdAt > before && <span class="unseen">, unread</span>}
          </span>
        </li>
      ))}
    </ul>
    <p>
      <a href={hrefOf('notifications', { tab: 'mails' })}>Choose your emails</a>
      {total > items.length && <span class="faint">; {pluralize(total - items.length, 'older notification')}</span>}
    </p>
  </>
)
