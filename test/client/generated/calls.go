// Calls the client of `openapi-generator -g go`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"

	made "example.org/made"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func show[T any](name string, result T, _ *http.Response, err error) {
	check(err)
	text, err := json.Marshal(result)
	check(err)
	fmt.Printf("%s\t%s\n", name, text)
}

func body[T any](name string) T {
	var value T
	check(json.Unmarshal([]byte(os.Getenv("BODY_"+name)), &value))
	return value
}

func number(name string) float64 {
	value, err := strconv.ParseFloat(os.Getenv(name), 64)
	check(err)
	return value
}

type call[T any] interface {
	Execute() (T, *http.Response, error)
}

func run[T any](name string, request call[T]) {
	result, response, err := request.Execute()
	show(name, result, response, err)
}

func main() {
	settings := made.NewConfiguration()
	settings.Servers = made.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	settings.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("API_KEY"))
	api := made.NewAPIClient(settings)
	ctx := context.Background()
	geoid, lat, lon := os.Getenv("GEOID"), number("LAT"), number("LON")
	poi, err := strconv.ParseInt(os.Getenv("DEST_ID"), 10, 64)
	check(err)

	run("getLastUpdated", api.CatalogueAPI.GetLastUpdated(ctx))
	run("getModes", api.CatalogueAPI.GetModes(ctx))
	run("getDestinationTypes", api.CatalogueAPI.GetDestinationTypes(ctx))
	run("getWeights", api.CatalogueAPI.GetWeights(ctx))
	run("getVintage", api.CatalogueAPI.GetVintage(ctx))
	run("getPlans", api.CatalogueAPI.GetPlans(ctx))
	run("findPlaces", api.PlacesAPI.FindPlaces(ctx).Q("port"))
	run("getIsochroneMeta", api.IsochronesAPI.GetIsochroneMeta(ctx))
	run("getTileArchives", api.IsochronesAPI.GetTileArchives(ctx))
	run("getBlockBands", api.IsochronesAPI.GetBlockBands(ctx))
	run("getExports", api.ExportsAPI.GetExports(ctx))
	run("getBlockSummary", api.BlocksAPI.GetBlockSummary(ctx, geoid).Mode([]string{"walk"}).Names(true))
	run("listBlockPois", api.BlocksAPI.ListBlockPois(ctx, geoid).Limit(5))
	run("getPointSummary", api.PointsAPI.GetPointSummary(ctx).Lat(lat).Lon(lon))
	run("searchPois", api.POIsAPI.SearchPois(ctx).Lat(lat).Lon(lon).RadiusM(2000).Limit(5))
	run("getPoi", api.POIsAPI.GetPoi(ctx, poi))
	run("listPoiCatchment", api.POIsAPI.ListPoiCatchment(ctx, poi).Limit(5))
	run("getBlockSummaries", api.BlocksAPI.GetBlockSummaries(ctx).GetBlockSummariesRequest(body[made.GetBlockSummariesRequest]("getBlockSummaries")))
	run("queryBlocks", api.AreasAPI.QueryBlocks(ctx).QueryBlocksRequest(body[made.QueryBlocksRequest]("queryBlocks")))
	run("measureCoverage", api.CoverageAPI.MeasureCoverage(ctx).MeasureCoverageRequest(body[made.MeasureCoverageRequest]("measureCoverage")))
	run("listPoisCatchments", api.POIsAPI.ListPoisCatchments(ctx).ListPoisCatchmentsRequest(body[made.ListPoisCatchmentsRequest]("listPoisCatchments")))
	run("measureSites", api.CoverageAPI.MeasureSites(ctx).MeasureSitesRequest(body[made.MeasureSitesRequest]("measureSites")))
}
