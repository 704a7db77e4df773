/** What stands in `deploy/` and in the chart as well: a chart can use no file beside it. */
export const CHART_FILES: Readonly<Record<string, string>> = {
  'prometheus/alerts.yaml': 'chart/files/alerts.yaml',
  'grafana/portico.json': 'chart/files/portico.json',
};
