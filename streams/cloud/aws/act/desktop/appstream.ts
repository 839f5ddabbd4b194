import { switchKind } from './switch-kind.ts'

export const appstreamFleet = switchKind({
  find: async ({ session, region, name }) =>
    (await session.ask('appstream', region, (m) => new m.DescribeFleetsCommand({ Names: [name] }))).Fleets?.[0],
  state: ({ State }) => State,
  size: ({ InstanceType }) => InstanceType,
  start: ({ session, region, name: Name }) =>
    session.ask('appstream', region, (m) => new m.StartFleetCommand({ Name })),
  stop: ({ session, region, name: Name }) => session.ask('appstream', region, (m) => new m.StopFleetCommand({ Name })),
})

export const imageBuilder = switchKind({
  find: async ({ session, region, name }) =>
    (await session.ask('appstream', region, (m) => new m.DescribeImageBuildersCommand({ Names: [name] })))
      .ImageBuilders?.[0],
  state: ({ State }) => State,
  size: ({ InstanceType }) => InstanceType,
  start: ({ session, region, name: Name }) =>
    session.ask('appstream', region, (m) => new m.StartImageBuilderCommand({ Name })),
  stop: ({ session, region, name: Name }) =>
    session.ask('appstream', region, (m) => new m.StopImageBuilderCommand({ Name })),
})
