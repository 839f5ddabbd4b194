/** Made from the routes by test/console/operations.ts; never by hand. */
export interface NotificationsOperations {
  'DELETE /notifications/channels/:channelID': {
    reply: undefined
  }
  'DELETE /notifications/subscriptions/:subID': {
    reply: undefined
  }
  'GET /notifications/channels': {
    reply: ({
      id: string
      type: 'slack' | 'teams' | 'google_chat' | 'email'
      name: string
      config: {
        webhookURL?: string
        email?: string
        digest?: 'hourly' | 'daily'
        timezone?: string
        quietHours?: {
          timezone: string
          from: string
          to: string
        }
        fold?: boolean
      }
      confirmation?: 'pending' | 'confirmed'
      lastFailure?: {
        at: string
        deliveryID: string
        eventType: string
        responseStatus?: number
        message: string
        brokenSince?: string
      }
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /notifications/deliveries': {
    reply: {
      items: ({
        id: string
        channelID: string
        kind: 'event' | 'digest' | 'test' | 'share'
        eventID: string
        eventType: string
        category: 'resource' | 'budget' | 'cost_anomaly'
        severity?: string
        title: string
        scope: {
          type: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
          id: string
        }
        status: 'pending' | 'held' | 'delivered' | 'failed' | 'folded'
        hold?: 'quiet' | 'digest' | 'circuit'
        tries: number
        responseStatus?: number
        message?: string
        createdAt: string
        nextTryAt?: string
        endedAt?: string
        foldedInto?: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /notifications/deliveries/:deliveryID': {
    reply: {
      id: string
      channelID: string
      kind: 'event' | 'digest' | 'test' | 'share'
      eventID: string
      eventType: string
      category: 'resource' | 'budget' | 'cost_anomaly'
      severity?: string
      title: string
      scope: {
        type: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
        id: string
      }
      status: 'pending' | 'held' | 'delivered' | 'failed' | 'folded'
      hold?: 'quiet' | 'digest' | 'circuit'
      tries: number
      responseStatus?: number
      message?: string
      createdAt: string
      nextTryAt?: string
      endedAt?: string
      foldedInto?: string
      event: {
        id: string
        eventType: string
        name: string
        category: 'resource' | 'budget' | 'cost_anomaly'
        orgID: string
        occurredAt: string
        severity?: 'warning' | 'critical' | 'emergency'
        title: string
        summary: string
        scope: {
          type: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
          id: string
        }
        link?: string
        data: Record<string, unknown>
      }
    }
  }
  'GET /notifications/email-preferences/:eventKey': {
    reply: {
      eventKey: 'resource.started' | 'resource.stopped' | 'resource.failed' | 'resource.override' | 'resource.retry_exhausted' | 'budget.warning' | 'budget.exceeded' | 'cost.anomaly.warning' | 'cost.anomaly.critical' | 'cost.anomaly.emergency' | 'cost.anomaly.cloud_account.warning' | 'cost.anomaly.cloud_account.critical' | 'cost.anomaly.cloud_account.emergency' | 'cost.anomaly.resource_group.warning' | 'cost.anomaly.resource_group.critical' | 'cost.anomaly.resource_group.emergency' | 'cost.anomaly.resource.warning' | 'cost.anomaly.resource.critical' | 'cost.anomaly.resource.emergency' | 'cost.anomaly.team.warning' | 'cost.anomaly.team.critical' | 'cost.anomaly.team.emergency'
      enabled: boolean
      updatedAt: string | null
    }
  }
  'GET /notifications/event-types': {
    reply: ({
      key: 'resource.started' | 'resource.stopped' | 'resource.failed' | 'resource.override' | 'resource.retry_exhausted' | 'budget.warning' | 'budget.exceeded' | 'cost.anomaly.warning' | 'cost.anomaly.critical' | 'cost.anomaly.emergency' | 'cost.anomaly.cloud_account.warning' | 'cost.anomaly.cloud_account.critical' | 'cost.anomaly.cloud_account.emergency' | 'cost.anomaly.resource_group.warning' | 'cost.anomaly.resource_group.critical' | 'cost.anomaly.resource_group.emergency' | 'cost.anomaly.resource.warning' | 'cost.anomaly.resource.critical' | 'cost.anomaly.resource.emergency' | 'cost.anomaly.team.warning' | 'cost.anomaly.team.critical' | 'cost.anomaly.team.emergency'
      name: string
      category: 'resource' | 'budget' | 'cost_anomaly'
    })[]
  }
  'GET /notifications/subscriptions': {
    reply: ({
      id: string
      channelID: string
      eventType: 'resource.started' | 'resource.stopped' | 'resource.failed' | 'resource.override' | 'resource.retry_exhausted' | 'budget.warning' | 'budget.exceeded' | 'cost.anomaly.warning' | 'cost.anomaly.critical' | 'cost.anomaly.emergency' | 'cost.anomaly.cloud_account.warning' | 'cost.anomaly.cloud_account.critical' | 'cost.anomaly.cloud_account.emergency' | 'cost.anomaly.resource_group.warning' | 'cost.anomaly.resource_group.critical' | 'cost.anomaly.resource_group.emergency' | 'cost.anomaly.resource.warning' | 'cost.anomaly.resource.critical' | 'cost.anomaly.resource.emergency' | 'cost.anomaly.team.warning' | 'cost.anomaly.team.critical' | 'cost.anomaly.team.emergency'
      scopeType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
      scopeID: string
      enabled: boolean
      createdAt: string
      updatedAt: string
    })[]
  }
  'POST /notifications/channels': {
    reply: {
      id: string
      type: 'slack' | 'teams' | 'google_chat' | 'email'
      name: string
      config: {
        webhookURL?: string
        email?: string
        digest?: 'hourly' | 'daily'
        timezone?: string
        quietHours?: {
          timezone: string
          from: string
          to: string
        }
        fold?: boolean
      }
      confirmation?: 'pending' | 'confirmed'
      lastFailure?: {
        at: string
        deliveryID: string
        eventType: string
        responseStatus?: number
        message: string
        brokenSince?: string
      }
      createdAt: string
      updatedAt: string
    }
  }
  'POST /notifications/channels/:channelID/signing-secret': {
    reply: {
      signingSecret: string
    }
  }
  'POST /notifications/channels/:channelID/test': {
    reply: {
      delivered: boolean
      status: number
      message: string
      deliveryID: string
    }
  }
  'POST /notifications/subscriptions': {
    reply: {
      id: string
      channelID: string
      eventType: 'resource.started' | 'resource.stopped' | 'resource.failed' | 'resource.override' | 'resource.retry_exhausted' | 'budget.warning' | 'budget.exceeded' | 'cost.anomaly.warning' | 'cost.anomaly.critical' | 'cost.anomaly.emergency' | 'cost.anomaly.cloud_account.warning' | 'cost.anomaly.cloud_account.critical' | 'cost.anomaly.cloud_account.emergency' | 'cost.anomaly.resource_group.warning' | 'cost.anomaly.resource_group.critical' | 'cost.anomaly.resource_group.emergency' | 'cost.anomaly.resource.warning' | 'cost.anomaly.resource.critical' | 'cost.anomaly.resource.emergency' | 'cost.anomaly.team.warning' | 'cost.anomaly.team.critical' | 'cost.anomaly.team.emergency'
      scopeType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
      scopeID: string
      enabled: boolean
      createdAt: string
      updatedAt: string
    }
  }
  'PUT /notifications/channels/:channelID': {
    reply: {
      id: string
      type: 'slack' | 'teams' | 'google_chat' | 'email'
      name: string
      config: {
        webhookURL?: string
        email?: string
        digest?: 'hourly' | 'daily'
        timezone?: string
        quietHours?: {
          timezone: string
          from: string
          to: string
        }
        fold?: boolean
      }
      confirmation?: 'pending' | 'confirmed'
      lastFailure?: {
        at: string
        deliveryID: string
        eventType: string
        responseStatus?: number
        message: string
        brokenSince?: string
      }
      createdAt: string
      updatedAt: string
    }
  }
  'PUT /notifications/email-preferences/:eventKey': {
    reply: {
      eventKey: 'resource.started' | 'resource.stopped' | 'resource.failed' | 'resource.override' | 'resource.retry_exhausted' | 'budget.warning' | 'budget.exceeded' | 'cost.anomaly.warning' | 'cost.anomaly.critical' | 'cost.anomaly.emergency' | 'cost.anomaly.cloud_account.warning' | 'cost.anomaly.cloud_account.critical' | 'cost.anomaly.cloud_account.emergency' | 'cost.anomaly.resource_group.warning' | 'cost.anomaly.resource_group.critical' | 'cost.anomaly.resource_group.emergency' | 'cost.anomaly.resource.warning' | 'cost.anomaly.resource.critical' | 'cost.anomaly.resource.emergency' | 'cost.anomaly.team.warning' | 'cost.anomaly.team.critical' | 'cost.anomaly.team.emergency'
      enabled: boolean
      updatedAt: string | null
    }
  }
  'PUT /notifications/subscriptions/:subID': {
    reply: {
      id: string
      channelID: string
      eventType: 'resource.started' | 'resource.stopped' | 'resource.failed' | 'resource.override' | 'resource.retry_exhausted' | 'budget.warning' | 'budget.exceeded' | 'cost.anomaly.warning' | 'cost.anomaly.critical' | 'cost.anomaly.emergency' | 'cost.anomaly.cloud_account.warning' | 'cost.anomaly.cloud_account.critical' | 'cost.anomaly.cloud_account.emergency' | 'cost.anomaly.resource_group.warning' | 'cost.anomaly.resource_group.critical' | 'cost.anomaly.resource_group.emergency' | 'cost.anomaly.resource.warning' | 'cost.anomaly.resource.critical' | 'cost.anomaly.resource.emergency' | 'cost.anomaly.team.warning' | 'cost.anomaly.team.critical' | 'cost.anomaly.team.emergency'
      scopeType: 'org' | 'cloud_account' | 'resource_group' | 'resource' | 'team'
      scopeID: string
      enabled: boolean
      createdAt: string
      updatedAt: string
    }
  }
}
