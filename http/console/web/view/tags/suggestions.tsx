/** Predicted tags, the highest confidence first: decided one by one, for chosen rows, or for all that match the filters. */
import { useState } from 'preact/hooks'
import { ask, type Reply } from '../../api.ts'
import { ago } from '../../day.ts'
import { count, percent, pluralize } from '../../figure.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Amount } from '../../part/amount.tsx'
import { Confirm } from '../../part/confirm.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { toast } from '../../part/toast.tsx'
import { lastDays } from '../inventory/query.ts'
import { useResourceFigures, type ResourceFigures } from '../inventory/resource-figures.ts'

type Suggestion = Reply<'GET /autotagging'>['items'][number]
type Status = 'accepted' | 'rejected'

const pageSize = 25
/** Of one request, and of all that a person decides at once. */
const packMax = 100
const decidedMax = 2000

const filters = [
  { name: 'search', title: 'Search', placeholder: 'Name or UID' },
  {
    name: 'confidence_min',
    title: 'Confidence',
    none: 'any',
    choices: [90, 80, 70, 50].map((least) => [String(least), `at least ${least}%`]),
  },
  {
    name: 'status',
    title: 'Status',
    none: 'pending',
    choices: [
      ['accepted', 'accepted'],
      ['rejected', 'rejected'],
    ],
  },
]

const filterOf = () => ({
  status: (['accepted', 'rejected'] as const).find((one) => one === param('status')) ?? 'pending',
  confidence_min: param('confidence_min'),
  search: param('search'),
})

interface Asked {
  status: Status
  /** Undefined: all that match the filters. */
  uids: readonly string[] | undefined
}

export function Suggestions({ onDecided }: { onDecided: () => void }) {
  const filter = filterOf()
  const report = useReport('GET /autotagging', {
    query: { ...filter, page: param('page') ?? 1, limit: pageSize },
    on: ['inventory.'],
  })
  const [asked, setAsked] = useState<Asked | undefined>()
  const doing = useRequest('POST /autotagging/decide')
  const items = report.data?.items ?? []
  const beside = useResourceFigures(
    items.map(({ resourceUid: uid, cloudAccountId: cloudAccountID }) => ({ uid, cloudAccountID })),
  )
  const total = report.data?.total ?? 0
  const isPending = filter.status === 'pending'
  const done = (text: string) => {
    toast(text)
    report.again()
    onDecided()
  }
  const decideOne = (uid: string, status: Status) =>
    void doing.run({ body: { status, resourceUids: [uid] } }, ({ failed }) =>
      done(failed[0]?.message ?? `Suggestion ${status}.`),
    )
  return (
    <>
      <ListView
        title="Suggestions"
        noun="suggestions"
        about="environment and owner, inferred from names, parents and neighbors; never written to a cloud"
        report={report}
        columns={columnsOf(isPending, doing.isBusy, beside, decideOne)}
        filters={filters}
        pageSize={pageSize}
        bones={8}
        tools={
          isPending &&
          total > 0 && (
            <>
              <Act needs="service.update" onClick={() => setAsked({ status: 'accepted', uids: undefined })}>
                Accept all {count(total)}…
              </Act>
              <Act
                needs="service.update"
                class="quiet"
                onClick={() => setAsked({ status: 'rejected', uids: undefined })}
              >
                Reject all…
              </Act>
            </>
          )
        }
        bulk={
          isPending
            ? {
                nameOf: ({ resourceName, resourceUid }) => resourceName || resourceUid,
                actions: (rows) =>
                  (['accepted', 'rejected'] as const).map((status) => (
                    <Act
                      key={status}
                      needs="service.update"
                      isSmall
                      onClick={() => setAsked({ status, uids: rows.map(({ resourceUid }) => resourceUid) })}
                    >
                      {status === 'accepted' ? 'Accept selected…' : 'Reject selected…'}
                    </Act>
                  )),
              }
            : undefined
        }
        intro={
          <>
            {doing.problem && <ProblemMessage problem={doing.problem} />}
            <p class="faint">
              Accepting changes the tags of all past months immediately. Each suggestion can be decided only once; this
              cannot be undone.
            </p>
          </>
        }
        empty={{ title: 'No pending suggestions.', children: <p>New suggestions appear after account discovery.</p> }}
      />
      {asked && (
        <DecideMany asked={asked} total={total} filter={filter} onClose={() => setAsked(undefined)} onDone={done} />
      )}
    </>
  )
}

interface DecideManyProps {
  asked: Asked
  total: number
  filter: ReturnType<typeof filterOf>
  onClose: () => void
  onDone: (text: string) => void
}

/** UIDs that match, from the first page on: what is decided leaves the list. */
const nextPack = async (filter: DecideManyProps['filter'], left: number): Promise<string[]> => {
  const { data } = await ask('GET /autotagging', { query: { ...filter, limit: Math.min(packMax, left) } })
  return data.items.map(({ resourceUid }) => resourceUid)
}

/** Decides in packs, and says how far it is. */
function useDecideMany({ asked: { status, uids }, total, filter, onClose, onDone }: DecideManyProps) {
  const [state, setState] = useState<{ isBusy: boolean; problem: Problem | undefined; decided: number }>({
    isBusy: false,
    problem: undefined,
    decided: 0,
  })
  const run = async () => {
    const wanted = Math.min(uids?.length ?? total, decidedMax)
    let [decided, failed, at] = [0, 0, 0]
    setState({ isBusy: true, problem: undefined, decided })
    try {
      while (at < wanted) {
        const resourceUids = uids ? uids.slice(at, at + packMax) : await nextPack(filter, wanted - at)
        if (resourceUids.length === 0) break
        const { data } = await ask('POST /autotagging/decide', { body: { status, resourceUids } })
        at += resourceUids.length
        decided += data.decided.length
        failed += data.failed.length
        setState({ isBusy: true, problem: undefined, decided })
        // Refused ones stay in the list: asked for again they would come again.
        if (!uids && data.decided.length === 0) break
      }
      onClose()
      onDone(
        `${pluralize(decided, 'suggestion')} ${status}.${failed > 0 ? ` ${pluralize(failed, 'suggestion')} could not be decided.` : ''}`,
      )
    } catch (error) {
      setState({ isBusy: false, problem: problemOf(error), decided })
    }
  }
  return { ...state, run }
}

function DecideMany(props: DecideManyProps) {
  const {
    asked: { status, uids },
    total,
    onClose,
  } = props
  const { decided, run, ...doing } = useDecideMany(props)
  const number = Math.min(uids?.length ?? total, decidedMax)
  const verb = status === 'accepted' ? 'Accept' : 'Reject'
  return (
    <Confirm
      title={`${verb} ${pluralize(number, 'suggestion')}?`}
      action={`${verb} ${count(number)}`}
      isDanger={status === 'rejected'}
      doing={doing}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      {!uids && <p>{matchText(props)}</p>}
      <p>
        {status === 'accepted'
          ? 'The tags count in the reports of all past months immediately. Nothing is written to a cloud.'
          : 'The suggestions disappear and have no effect on any report.'}{' '}
        This cannot be undone.
      </p>
      {doing.isBusy && (
        <p role="status">
          {count(decided)} of {count(number)}…
        </p>
      )}
    </Confirm>
  )
}

/** Which are decided, where they were not chosen one by one. */
function matchText({ filter: { confidence_min: least, search }, total }: DecideManyProps): string {
  const narrowed = [least && `confidence at least ${least}%`, search && `name or UID with “${search}”`].filter(Boolean)
  const which = narrowed.length > 0 ? `Those with ${narrowed.join(' and ')}.` : 'All pending suggestions.'
  return total > decidedMax ? `${which} ${count(decidedMax)} at a time.` : which
}

const tagsOf = ({ predictedEnv, predictedNoStop, extraTags }: Suggestion): string[] => [
  ...(predictedEnv ? [`env: ${predictedEnv}`] : []),
  ...Object.entries(extraTags).map(([key, value]) => `${key}: ${value}`),
  ...(predictedNoStop ? ['do not stop'] : []),
]

export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <ul class="chips">
    {tags.map((text) => (
      <li key={text} class="tag clip" title={text}>
        {text}
      </li>
    ))}
  </ul>
)

const placeOf = ({
  resourceUid: uid,
  cloudAccountId: cloudAccountID,
}: Pick<Suggestion, 'resourceUid' | 'cloudAccountId'>) => ({
  uid,
  cloudAccountID,
})

const columnsOf = (
  isPending: boolean,
  isBusy: boolean,
  beside: ResourceFigures,
  decide: (uid: string, status: Status) => void,
): Column<Suggestion>[] => [
  {
    title: 'Resource',
    text: ({ resourceName, resourceUid }) => resourceName || resourceUid,
    hint: ({ resourceUid }) => resourceUid,
    href: ({ resourceUid, cloudAccountId }) =>
      hrefOf('resource', { uid: resourceUid, cloud_account_id: cloudAccountId }),
    sub: ({ resourceType }) => resourceType,
  },
  { title: 'Suggested', csv: (one) => tagsOf(one).join('; '), show: (one) => <Tags tags={tagsOf(one)} /> },
  { title: 'Confidence', percent: ({ confidence }) => confidence, show: ({ confidence }) => percent(confidence) },
  {
    title: 'Cost, 30 days',
    usd: (one) => beside.costOf(placeOf(one)),
    show: (one) => (
      <Amount
        usd={beside.costOf(placeOf(one))}
        receipt={{
          ...lastDays(),
          'filter[cloud_account_id]': one.cloudAccountId,
          'filter[resource_uid]': one.resourceUid,
        }}
        label={one.resourceName}
      />
    ),
  },
  {
    title: 'Reason',
    isLong: true,
    csv: ({ reason }) => reason,
    show: ({ reason }) => <span class="faint">{reason}</span>,
  },
  {
    title: 'Decision',
    isAction: isPending,
    show: ({ resourceUid, resourceName, acceptedAt, rejectedAt }) =>
      isPending ? (
        <span class="nowrap">
          <Act
            needs="service.update"
            isSmall
            disabled={isBusy}
            label={`Accept for ${resourceName}`}
            onClick={() => decide(resourceUid, 'accepted')}
          >
            Accept
          </Act>{' '}
          <Act
            needs="service.update"
            isSmall
            class="quiet"
            disabled={isBusy}
            label={`Reject for ${resourceName}`}
            onClick={() => decide(resourceUid, 'rejected')}
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
