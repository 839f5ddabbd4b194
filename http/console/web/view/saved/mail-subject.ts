/** What can be mailed: a saved view or a dashboard, each with requests of its own. */
export interface MailSubject {
  kind: 'view' | 'dashboard'
  id: string
  name: string
  isMailable: boolean
}

const requests = {
  view: {
    list: 'GET /saved-views/:savedViewID/schedules',
    make: 'POST /saved-views/:savedViewID/schedules',
    edit: 'PATCH /saved-views/:savedViewID/schedules/:scheduleID',
    remove: 'DELETE /saved-views/:savedViewID/schedules/:scheduleID',
    test: 'POST /saved-views/:savedViewID/test',
  },
  dashboard: {
    list: 'GET /dashboards/:dashboardID/schedules',
    make: 'POST /dashboards/:dashboardID/schedules',
    edit: 'PATCH /dashboards/:dashboardID/schedules/:scheduleID',
    remove: 'DELETE /dashboards/:dashboardID/schedules/:scheduleID',
    test: 'POST /dashboards/:dashboardID/test',
  },
} as const

export const requestsOf = ({ kind }: MailSubject) => requests[kind]

export const paramsOf = ({ kind, id }: MailSubject): Record<string, string> =>
  kind === 'view' ? { savedViewID: id } : { dashboardID: id }
