/** A panel of one report: what was answered, what stands in its place, and the question to copy. */
import type { ComponentChildren } from 'preact'
import type { Report } from '../report.ts'
import { Copies } from './copy.tsx'
import { Panel, type PanelProps } from './panel.tsx'
import { ReportContent } from './report-content.tsx'

export interface ReportPanelProps<T> extends Omit<PanelProps, 'children'> {
  report: Report<T>
  rows?: number
  sql?: string | undefined
  /** Below what was answered. */
  foot?: ComponentChildren
  children: (data: T) => ComponentChildren
}

export const ReportPanel = <T,>({ report, rows, sql, foot, tools, children, ...panel }: ReportPanelProps<T>) => (
  <Panel
    {...panel}
    tools={
      <>
        {tools}
        <Copies report={report} sql={sql} />
      </>
    }
  >
    <ReportContent report={report} rows={rows}>
      {children}
    </ReportContent>
    {foot}
  </Panel>
)
