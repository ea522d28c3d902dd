internal import BellhopModel
internal import BellhopServer

/// Templates that need no configuration, as in `POST /hooks/github`.
extension HookTemplate {
  static let ready: [String: HookTemplate] = [
    "github": github, "gitlab": gitlab, "grafana": grafana, "alertmanager": alertmanager,
    "uptime-kuma": uptimeKuma, "healthchecks": healthchecks,
  ]

  /// docs.github.com, "Webhook events and payloads".
  private static let github: HookTemplate = {
    var template = HookTemplate(title: [
      "{repository.full_name}: {workflow_run.name} {workflow_run.conclusion|workflow_run.status}",
      "{repository.full_name}: {check_run.name} {check_run.conclusion|check_run.status}",
      "{repository.full_name}: pull request #{pull_request.number} {action}",
      "{repository.full_name}: issue #{issue.number} {action}",
      "{repository.full_name}: release {release.tag_name} {action}",
      "{repository.full_name}: {@x-github-event} to {ref} by {pusher.name}",
      "{repository.full_name|organization.login|hook.type}: {@x-github-event} {action}",
    ])
    template.body = [
      "{comment.body}", "{review.body}", "{pull_request.title}", "{issue.title}",
      "{release.name}", "{workflow_run.display_title}", "{head_commit.message}", "{zen}",
    ]
    template.id = ["run-{workflow_run.id}", "check-{check_run.id}"]
    template.group = ["{repository.full_name}"]
    template.level = ["{workflow_run.conclusion}", "{check_run.conclusion}"]
    template.url = [
      "{comment.html_url}", "{review.html_url}", "{workflow_run.html_url}", "{check_run.html_url}",
      "{pull_request.html_url}", "{issue.html_url}", "{release.html_url}", "{compare}",
      "{repository.html_url}",
    ]
    return template
  }()

  /// docs.gitlab.com, "Webhook events".
  private static let gitlab: HookTemplate = {
    var template = HookTemplate(title: [
      "{project.path_with_namespace}: {object_kind=pipeline} {object_attributes.status}",
      "{project.path_with_namespace}: {object_kind} {object_attributes.iid} {object_attributes.action}",
      "{project_name|project.path_with_namespace}: {build_name} {build_status}",
      "{project.path_with_namespace}: {object_kind} to {ref} by {user_name|user.name}",
      "{project.path_with_namespace|object_kind|event_name}",
    ])
    template.body = [
      "{object_attributes.note}", "{object_attributes.title}", "{commit.message}",
      "{commits.0.message}", "{commit.title}",
    ]
    template.id = [
      "{object_kind=pipeline}-{object_attributes.id}", "{object_kind=build}-{build_id}",
    ]
    template.group = ["{project.path_with_namespace|project_name}"]
    template.level = ["{build_status}", "{object_attributes.status}"]
    template.url = ["{object_attributes.url}", "{commit.url}", "{project.web_url}"]
    return template
  }()

  /// grafana.com/docs, "Configure the webhook notifier".
  private static let grafana: HookTemplate = {
    var template = HookTemplate(title: [
      "{title}", "{commonLabels.alertname}", "Grafana {status|state}",
    ])
    template.body = [
      "{commonAnnotations.summary}\n{commonAnnotations.description}", "{commonAnnotations.summary}",
      "{message}",
    ]
    template.id = ["{groupKey}"]
    template.group = ["{commonLabels.alertname}", "{ruleName}"]
    template.level = [
      "{status=resolved}", "{commonLabels.severity}", "{alerts.0.labels.severity}",
      "{status|state}",
    ]
    template.url = [
      "{alerts.0.panelURL}", "{alerts.0.dashboardURL}", "{ruleUrl}", "{externalURL}",
    ]
    return template
  }()

  /// prometheus.io/docs, "Alertmanager configuration", `webhook_config`.
  private static let alertmanager: HookTemplate = {
    var template = HookTemplate(title: [
      "{commonLabels.alertname} {status}: {commonLabels.instance}",
      "{commonLabels.alertname} {status}", "{alerts.0.labels.alertname} {status}",
      "Alertmanager {status}",
    ])
    template.body = [
      "{commonAnnotations.summary}\n{commonAnnotations.description}", "{commonAnnotations.summary}",
      "{commonAnnotations.description}", "{alerts.0.annotations.summary}",
      "{alerts.0.annotations.description}",
    ]
    template.id = ["{groupKey}"]
    template.group = ["{commonLabels.alertname}", "{alerts.0.labels.alertname}"]
    template.level = [
      "{status=resolved}", "{commonLabels.severity}", "{alerts.0.labels.severity}", "{status}",
    ]
    template.url = ["{alerts.0.generatorURL}", "{externalURL}"]
    return template
  }()

  /// Uptime Kuma's notification type "Webhook" with its standard body.
  private static let uptimeKuma: HookTemplate = {
    var template = HookTemplate(title: ["{monitor.name}", "{msg}", "Uptime Kuma"])
    template.body = ["{msg}", "{heartbeat.msg}"]
    template.id = ["monitor-{monitor.id}"]
    template.group = ["{monitor.name}"]
    template.level = ["{heartbeat.status}"]
    template.levels = ["0": .high, "1": .low, "2": .normal, "3": .normal]
    template.url = ["{monitor.url}"]
    return template
  }()

  /// The web hook of Healthchecks with a custom body.
  ///
  /// The body is `{"name": "$NAME", "status": "$STATUS", "code": "$CODE", "tags": "$TAGS"}`.
  private static let healthchecks: HookTemplate = {
    var template = HookTemplate(title: ["{name} is {status}", "{name}", "Healthchecks"])
    template.body = ["{body}", "{tags}"]
    template.id = ["{code}"]
    template.group = ["{name}"]
    template.level = ["{status}"]
    template.url = ["{url}"]
    return template
  }()
}
