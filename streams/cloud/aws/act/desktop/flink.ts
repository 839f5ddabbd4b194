import { switchKind } from './switch-kind.ts'

/** Stopped with a snapshot of its state, where the application has snapshots, and started from the latest. */
export const flinkApplication = switchKind({
  find: async ({ session, region, name: ApplicationName }) =>
    (await session.ask('kinesis-analytics-v2', region, (m) => new m.DescribeApplicationCommand({ ApplicationName })))
      .ApplicationDetail,
  state: ({ ApplicationStatus }) => ApplicationStatus,
  start: ({ session, region, name: ApplicationName }) =>
    session.ask('kinesis-analytics-v2', region, (m) => new m.StartApplicationCommand({ ApplicationName })),
  stop: ({ session, region, name: ApplicationName }) =>
    session.ask('kinesis-analytics-v2', region, (m) => new m.StopApplicationCommand({ ApplicationName })),
})
