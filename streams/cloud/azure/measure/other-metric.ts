/** How metrics are read that are not in Azure Monitor. */
import type { ResourceRef } from '#streams/cloud/connector.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import type { Metric } from '#streams/metric/messages.ts'
import type { StepStats } from '#streams/metric/sample-messages.ts'
import type { Workspace } from './log-workspace.ts'

/** Milliseconds since 1970; `stepMs` in milliseconds. */
export interface Span {
  from: number
  to: number
  stepMs: number
}

/** Steps of a metric of a resource. */
export type OtherSteps = (uid: string, metric: Metric) => ReadonlyMap<number, StepStats> | undefined

export interface OtherContext {
  session: AzureSession
  /** Of the subscription; looked up once. */
  workspaces: () => Promise<readonly Workspace[]>
  /** Milliseconds since 1970. */
  now: number
}

/** What is read for resources of one type. */
export interface OtherSource {
  hasSteps: (stepMs: number) => boolean
  read: (context: OtherContext, resources: readonly ResourceRef[], span: Span) => Promise<OtherSteps>
  /** Milliseconds before a span that are read again with it. */
  lateMs: number
}
