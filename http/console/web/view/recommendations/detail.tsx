/** One recommendation: why, what it would save, what to do, what became of it. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { useNameOf } from '../../part/person.ts'
import { ReportContent } from '../../part/report-content.tsx'
import { change } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import type { Reply } from '../../api.ts'
import { useFocusOnOpen } from '../anomalies/focus-on-open.ts'
import { StartWorkflow } from './start-workflow.tsx'
import { Decide } from './decide.tsx'
import { SavingsEstimate } from './savings.tsx'
import { ResourceOverview, Why } from './why.tsx'
import { eventName, type Detail } from './labels.ts'

const close = () => change({ rec: null })

export function RecommendationDetail({ id }: { id: string }) {
  const params = { recID: id }
  const report = useReport('GET /recommendations/:recID/detail', { params, on: ['recommendation.', 'workflow.'] })
  const place = useFocusOnOpen<HTMLDivElement>(id)
  const isThere = report.data !== undefined
  useEffect(() => {
    // That it was looked at is no more than a note: that it cannot be made is nobody's matter.
    if (isThere) ask('POST /recommendations/:recID/viewed', { params }).catch(() => undefined)
  }, [id, isThere])
  const tools = (
    <>
      <Copies report={report} />
      <button type="button" class="quiet" onClick={close}>
        Close ✕
      </button>
    </>
  )
  return (
    <div class="opened" tabindex={-1} ref={place} role="group" aria-label={report.data?.title ?? 'Recommendation'}>
      {report.data === undefined ? (
        <Panel title="Recommendation" tools={tools}>
          <ReportContent report={report} rows={8}>
            {() => null}
          </ReportContent>
        </Panel>
      ) : (
        <DetailBody data={report.data} report={report} tools={tools} />
      )}
    </div>
  )
}

interface DetailBodyProps {
  data: Detail
  report: Report<Detail>
  tools: ComponentChildren
}

function DetailBody({ data, report, tools }: DetailBodyProps) {
  return (
    <>
      <Panel title={data.title} tools={tools}>
        <ReportContent report={report}>{() => <SavingsEstimate data={data} />}</ReportContent>
      </Panel>
      <Why data={data} />
      <StartWorkflow data={data} />
      <Decide data={data} onDecided={report.again} />
      <Panel title="Resource">
        <ResourceOverview data={data} />
      </Panel>
      <History id={data.id} />
    </>
  )
}

type Events = Reply<'GET /recommendations/:recID/history'>

function History({ id }: { id: string }) {
  const nameOf = useNameOf()
  const report = useReport('GET /recommendations/:recID/history', {
    params: { recID: id },
    on: ['recommendation.', 'workflow.'],
  })
  return (
    <ReportPanel title="History" report={report} rows={2}>
      {(events: Events) => (
        <ol class="list">
          {events.toReversed().map((one) => (
            <li key={one.id}>
              <span>
                {eventName(one.event)}
                {one.actorType === 'user' && (
                  <>
                    {' '}
                    <span dir="auto">{nameOf(one.actor)}</span>
                  </>
                )}
              </span>
              <time class="end faint" datetime={one.createdAt} title={timeText(one.createdAt)}>
                {ago(one.createdAt)}
              </time>
              {one.note && (
                <blockquote class="said line" dir="auto">
                  {one.note}
                </blockquote>
              )}
            </li>
          ))}
        </ol>
      )}
    </ReportPanel>
  )
}
