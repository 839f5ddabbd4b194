/** What tags say of costs: which keys cover how much, which spellings are likely one, and what waits to be accepted. */
import { hrefOf, param, withParams } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Head } from '../../part/head.tsx'
import { Keys } from './keys.tsx'
import { Policies } from './policies.tsx'
import { Smart } from './smart.tsx'
import { Suggestions } from './suggestions.tsx'
import { Values } from './values.tsx'

const tabs = [
  { id: 'keys', title: 'Keys' },
  { id: 'suggestions', title: 'Suggestions' },
  { id: 'derived', title: 'Derived by policy' },
  { id: 'policies', title: 'Policies' },
] as const

export function View() {
  const key = param('key')
  const tab = tabs.find(({ id }) => id === param('tab'))?.id ?? 'keys'
  const suggested = useReport('GET /autotagging/count', { query: { status: 'pending' }, on: ['inventory.'] })
  const derived = useReport('GET /smart-tags', { query: { status: 'pending', limit: 1 }, on: ['inventory.'] })
  if (key !== undefined) return <Values key={key} tagKey={key} />
  const waiting = { suggestions: suggested.data?.count, derived: derived.data?.counts.pending } as Readonly<
    Record<string, number | undefined>
  >
  const again = () => {
    suggested.again()
    derived.again()
  }
  return (
    <>
      <Head title="Tags" />
      <nav class="tabs" aria-label="Tags">
        {tabs.map(({ id, title }) => (
          <a
            key={id}
            href={hrefOf(
              'tags',
              withParams({
                tab: id === 'keys' ? null : id,
                page: null,
                status: null,
                search: null,
                confidence_min: null,
              }),
            )}
            aria-current={id === tab ? 'page' : undefined}
          >
            {title}
            {waiting[id] ? (
              <>
                {' '}
                <span class="badge warning">{waiting[id]} pending</span>
              </>
            ) : (
              ''
            )}
          </a>
        ))}
      </nav>
      {tab === 'keys' ? (
        <Keys />
      ) : tab === 'suggestions' ? (
        <Suggestions onDecided={again} />
      ) : tab === 'derived' ? (
        <Smart onDecided={again} />
      ) : (
        <Policies onDecided={again} />
      )}
    </>
  )
}
