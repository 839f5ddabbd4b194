/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SecurityEventsOperations {
  'GET /security-events': {
    reply: {
      items: ({
        id: string
        type: 'login' | 'login_failed' | 'logout' | 'refresh_reused' | 'session_ended' | 'sign_in_link_created' | 'password_reset' | 'password_changed' | 'second_factor_enabled' | 'second_factor_disabled' | 'recovery_code_used' | 'organization_created' | 'organization_deletion_requested' | 'organization_restored' | 'person_erased' | 'member_invited' | 'member_changed' | 'member_removed' | 'role_created' | 'role_changed' | 'role_deleted' | 'token_created' | 'token_revoked' | 'stream_user_created' | 'stream_user_revoked' | 'saml_changed' | 'saml_removed' | 'oidc_changed' | 'oidc_removed' | 'scim_user_changed' | 'scim_group_changed' | 'settings_changed' | 'saml_domain_verified' | 'saml_domain_lost' | 'credentials_changed' | 'bill_removed' | 'export_requested' | 'export_downloaded' | 'access_refused' | 'schedule_changed' | 'channel_changed' | 'override_created' | 'override_cancelled' | 'action_submitted' | 'policy_created' | 'policy_changed' | 'policy_deleted' | 'suggestion_decided' | 'smart_tags_decided' | 'smart_tags_accept_all' | 'recommendation_decided' | 'space_changed' | 'provisioning_created' | 'provisioning_changed' | 'provisioning_retried' | 'provisioning_deleted' | 'provisioning_database_created' | 'provisioning_database_deleted' | 'provisioning_connection_created' | 'provisioning_connection_deleted' | 'workflow_started' | 'workflow_approved' | 'workflow_rejected' | 'workflow_cancelled' | 'plan_created' | 'plan_changed' | 'plan_scheduled' | 'plan_cancelled' | 'plan_retried' | 'plan_reopened' | 'plan_deleted' | 'policy_applied' | 'autoscaler_changed' | 'deployment_created' | 'deployment_changed' | 'deployment_deleted' | 'installation_linked' | 'installation_unlinked'
        at: string
        userID: string | null
        principal: string
        email: string | null
        ip: string
        userAgent: string
        requestID: string
        detail: Record<string, string>
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
}
