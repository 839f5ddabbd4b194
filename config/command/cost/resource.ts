/** Resources, business metrics and exports at a terminal. */
import { readFileSync } from 'node:fs'
import type { ListPage } from '#config/command/line/api.ts'
import { askCommand, routeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { argument, choiceOr, limit, optional, org, page } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'

interface ResourceRow {
  id: string
  name: string
  uid: string
  type: string
  instanceType: string
  region: string
  status: string
  cloudAccountName: string
  team: { name: string } | null
}

const resources = listOf<ResourceRow>(
  {
    NAME: 'name',
    TYPE: 'type',
    SIZE: 'instanceType',
    STATUS: 'status',
    REGION: 'region',
    ACCOUNT: 'cloudAccountName',
    TEAM: ({ team }) => team?.name ?? '',
    ID: 'id',
  },
  'No resources.',
)

interface Metric {
  id: string
  key: string
  name: string
  unit: string
  ingestion: string
  lastIngestedAt: string | null
}

const metrics = listOf<Metric>(
  { KEY: 'key', NAME: 'name', UNIT: 'unit', VALUES: 'ingestion', LAST: 'lastIngestedAt', ID: 'id' },
  'No unit metrics.',
)

interface TimedValue {
  timestamp: string
  value: number
}

/** Rows of `timestamp,value` below a header in any case. The API checks the values themselves. */
function valuesIn(file: string): TimedValue[] {
  const [, ...rows] = readFileSync(file === '-' ? 0 : file, 'utf8')
    .trim()
    .split(/\r?\n/)
  return rows.map((row) => {
    const [timestamp = '', value = ''] = row.split(',').map((cell) => cell.trim().replaceAll('"', ''))
    return { timestamp, value: Number(value) }
  })
}

export const resourceCommands: readonly Command[] = [
  routeCommand({
    name: 'resource list',
    summary: 'List resources',
    takes: {
      org,
      search: optional('TEXT', 'Part of the name or ID'),
      type: optional('TYPE', 'Only this type, such as aws-ec2'),
      status: optional('STATUS', 'Only with this status, such as running'),
      account: optional('ID', 'Only of this cloud account'),
      limit: limit(),
      page,
    },
    route: 'GET /resources',
    ask: ({ org: _org, account: cloud_account_id, ...query }) => ({ query: { ...query, cloud_account_id } }),
    show: resources,
  }),
  routeCommand({
    name: 'resource show',
    summary: 'Show a resource with its tags',
    takes: { id: argument('ID', 'Resource ID from "resource list"'), org },
    route: 'GET /resources/:resourceID',
    ask: ({ id: resourceID }) => ({ params: { resourceID } }),
    show: (data: ResourceRow) => ({ data, text: JSON.stringify(data, null, 2) }),
  }),
  routeCommand({
    name: 'unit-metric list',
    summary: 'List business metrics for unit economics',
    takes: { org, limit: limit() },
    route: 'GET /unit-metrics',
    ask: ({ limit: most }) => ({ query: { limit: most } }),
    show: ({ items }: ListPage<Metric>) => metrics(items),
  }),
  routeCommand({
    name: 'unit-metric add',
    summary: 'Add values of a business metric from a CSV file with the header timestamp,value',
    takes: {
      id: argument('ID', 'Metric ID from "unit-metric list"'),
      file: argument('FILE.csv', 'File with the values; - for stdin'),
      org,
    },
    route: 'POST /unit-metric-values/:id',
    ask: ({ id, file }) => ({ params: { id }, body: { values: valuesIn(file) } }),
    show: (data: { ingested: number }) => ({ data, text: `${data.ingested} values were added.` }),
  }),
  askCommand({
    name: 'export',
    summary: 'Prepare a report as a file, and print the link to download it',
    takes: {
      report: argument('REPORT', 'Report of POST /reports/export, such as costs or focus'),
      org,
      format: choiceOr('FORMAT', ['csv', 'json', 'parquet'], 'csv', 'csv, json or parquet; default csv'),
      from: optional('DAY', 'First day'),
      to: optional('DAY', 'Last day'),
    },
    run: async (api, { report, format, from, to }) => {
      const data = await api.ask<{ downloadURL: string }>('POST /reports/export', {
        body: { report, format, from, to },
      })
      return { data, text: data.downloadURL }
    },
  }),
]
