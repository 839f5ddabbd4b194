/** Metrics that are not in Azure Monitor. The list of sources names where they are in place of a namespace. */
import { Fault } from '#engine/value/fault.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { sourcesOf } from '#streams/metric/source.ts'
import { agents, telemetry, volumes } from './logs.ts'
import type { OtherContext, OtherSource, OtherSteps, Span } from './other-metric.ts'
import { idleMachines, sessions } from './present.ts'
import { workspacesOf, type Workspace } from './log-workspace.ts'

const sources: ReadonlyMap<string, OtherSource> = new Map([
  ['InsightsMetrics', agents],
  ['Usage', volumes],
  ['AppTraces', telemetry],
  ['sessionHosts', sessions],
  ['instance-pools', idleMachines],
])

const sourceOf = ({ type }: ResourceRef): OtherSource | undefined =>
  sourcesOf(type).flatMap(({ namespace }) => sources.get(namespace) ?? [])[0]

export const hasOtherSource = (ref: ResourceRef): boolean => sourceOf(ref) !== undefined

/** The span with what may have been written since it was read last. */
export const withLate = (ref: ResourceRef, span: Span): Span => ({
  ...span,
  from: span.from - (sourceOf(ref)?.lateMs ?? 0),
})

const nothing: OtherSteps = () => undefined

export class OtherMetrics {
  /** What could not be had; another time it may be there. */
  readonly failures: Fault[] = []
  private readonly context: OtherContext

  constructor(session: AzureSession, now: number) {
    let known: Promise<readonly Workspace[]> | undefined
    this.context = { session, workspaces: () => (known ??= workspacesOf(session)), now }
  }

  /** For resources of one type. */
  async steps(resources: readonly ResourceRef[], span: Span): Promise<OtherSteps> {
    const source = resources[0] && sourceOf(resources[0])
    if (!source?.hasSteps(span.stepMs)) return nothing
    try {
      return await source.read(this.context, resources, span)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.failures.push(error)
      return nothing
    }
  }
}
