/** What is predicted of resources, the surest first: nothing counts before somebody accepts it. */
import type { Reply } from '../../api.ts'
import { ago } from '../../day.ts'
import { percent } from '../../figure.ts'
import { change, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'

type SuggestionPage = Reply<'GET /autotagging'>
type Suggestion = SuggestionPage['items'][number]

const pageSize = 25
const statuses = ['pending', 'accepted', 'rejected'] as const

export function Suggestions({ onDecided }: { onDecided: () => void }) {
  const page = Number(param('page') ?? 1)
  const status = statuses.find((one) => one === param('status')) ?? 'pending'
  const report = useReport('GET /autotagging', { query: { status, page, limit: pageSize }, on: ['inventory.'] })
  const accepting = useRequest('POST /autotagging/accept')
  const rejecting = useRequest('POST /autotagging/reject')
  const problem = accepting.problem ?? rejecting.problem
  const decide =
    (doing: typeof accepting | typeof rejecting, other: { clear: () => void }) => (resourceUid: string) => {
      other.clear()
      void doing.run({ body: { resourceUid } }, () => {
        report.again()
        onDecided()
      })
    }
  const isBusy = accepting.isBusy || rejecting.isBusy
  const columns = columnsOf({
    status,
    isBusy,
    accept: decide(accepting, rejecting),
    reject: decide(rejecting, accepting),
  })
  return (
    <Panel
      title="Suggestions"
      about="environment and owner, inferred from names, parents and neighbors; never written to a cloud"
      tools={
        <>
          <StatusChoice status={status} statuses={statuses} />
          <Copies report={report} />
        </>
      }
    >
      {problem && <ProblemMessage problem={problem} />}
      <p class="faint">
        Accepting changes the tags of all past months immediately. Each suggestion can be decided only once; this cannot
        be undone.
      </p>
      <ReportContent report={report} rows={8}>
        {(data: SuggestionPage) =>
          data.items.length === 0 ? (
            <Empty title={status === 'pending' ? 'No pending suggestions.' : `No ${status} suggestions.`}>
              <p>
                {status === 'pending' ? (
                  'New suggestions appear after account discovery.'
                ) : (
                  <button type="button" onClick={() => change({ status: null, page: null })}>
                    Show pending suggestions
                  </button>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Suggestions" columns={columns} rows={data.items} keyOf={({ id }: Suggestion) => id} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

export function StatusChoice({ status, statuses: some }: { status: string; statuses: readonly string[] }) {
  const pick = (event: Event) => change({ status: (event.target as HTMLSelectElement).value, page: null })
  return (
    <label>
      Status{' '}
      <select onChange={pick}>
        {some.map((one) => (
          <option key={one} value={one} selected={one === status}>
            {one === 'pending' ? 'pending' : one}
          </option>
        ))}
      </select>
    </label>
  )
}

interface SuggestionActions {
  status: string
  isBusy: boolean
  accept: (uid: string) => void
  reject: (uid: string) => void
}

const columnsOf = ({ status, isBusy, accept, reject }: SuggestionActions) => [
  {
    key: 'resource',
    title: 'Resource',
    show: ({ resourceName, resourceUid, resourceType }: Suggestion) => (
      <>
        <span class="clip wide" dir="auto" title={resourceUid}>
          {resourceName || resourceUid}
        </span>
        <span class="faint">{resourceType}</span>
      </>
    ),
  },
  {
    key: 'tags',
    title: 'Suggested',
    show: ({ predictedEnv, predictedNoStop, extraTags }: Suggestion) => (
      <ul class="chips">
        {[
          ...(predictedEnv ? [`env: ${predictedEnv}`] : []),
          ...Object.entries(extraTags).map(([key, value]) => `${key}: ${value}`),
          ...(predictedNoStop ? ['do not stop'] : []),
        ].map((text) => (
          <li key={text} class="tag clip" title={text}>
            {text}
          </li>
        ))}
      </ul>
    ),
  },
  { key: 'sure', title: 'Confidence', isFigure: true, show: ({ confidence }: Suggestion) => percent(confidence) },
  {
    key: 'why',
    title: 'Reason',
    isLong: true,
    show: ({ reason }: Suggestion) => <span class="faint">{reason}</span>,
  },
  {
    key: 'decide',
    title: 'Decision',
    show: ({ resourceUid, resourceName, acceptedAt, rejectedAt }: Suggestion) =>
      status === 'pending' ? (
        <span class="nowrap">
          <Act
            needs="service.update"
            isSmall
            disabled={isBusy}
            label={`Accept for ${resourceName}`}
            onClick={() => accept(resourceUid)}
          >
            Accept
          </Act>{' '}
          <Act
            needs="service.update"
            isSmall
            class="quiet"
            disabled={isBusy}
            label={`Reject for ${resourceName}`}
            onClick={() => reject(resourceUid)}
          >
            Reject
          </Act>
        </span>
      ) : (
        <span class="faint">
          {acceptedAt ? `accepted ${ago(acceptedAt)}` : rejectedAt ? `rejected ${ago(rejectedAt)}` : ''}
        </span>
      ),
  },
]
